// Tabs as ARIA describes them: arrows, Home and End move, only the chosen one is in the tab order.

export class TabList<Name extends string> {
  readonly #tabs: readonly (readonly [Name, HTMLElement])[];
  readonly #onChoose: (name: Name) => void;
  #chosen: Name;

  /** `tabs`: buttons that name their panels by aria-controls; the first is chosen. */
  constructor(tabs: readonly (readonly [Name, HTMLElement])[], onChoose: (name: Name) => void) {
    this.#tabs = tabs;
    this.#onChoose = onChoose;
    this.#chosen = tabs[0]?.[0] as Name;
    for (const [name, tab] of tabs) {
      tab.addEventListener('click', () => this.choose(name));
      tab.addEventListener('keydown', (event) => this.#move(event));
    }
    this.#show();
  }

  get chosen(): Name {
    return this.#chosen;
  }

  choose(name: Name): void {
    this.#chosen = name;
    this.#show();
    this.#onChoose(name);
  }

  #show(): void {
    for (const [name, tab] of this.#tabs) {
      const isChosen = name === this.#chosen;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '');
      if (panel !== null) panel.hidden = !isChosen;
    }
  }

  #move(event: KeyboardEvent): void {
    const at = this.#tabs.findIndex(([name]) => name === this.#chosen);
    const count = this.#tabs.length;
    const targets: Readonly<Record<string, number>> = {
      ArrowRight: (at + 1) % count,
      ArrowLeft: (at + count - 1) % count,
      Home: 0,
      End: count - 1,
    };
    const target = this.#tabs[targets[event.key] ?? -1];
    if (target === undefined) return;
    event.preventDefault();
    this.choose(target[0]);
    target[1].focus();
  }
}
