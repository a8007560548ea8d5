// Elements of the page, made and found: the only way text gets into the document is as text.

type Child = Node | string;

interface Attributes {
  readonly className?: string;
  readonly id?: string;
  readonly title?: string;
  readonly hidden?: boolean;
  /** Attributes by name: `role`, `aria-*`, `type`. */
  readonly attributes?: Readonly<Record<string, string>>;
  readonly onClick?: (event: MouseEvent) => void;
}

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  given: Attributes = {},
  children: readonly Child[] = [],
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (given.className !== undefined) made.className = given.className;
  if (given.id !== undefined) made.id = given.id;
  if (given.title !== undefined) made.title = given.title;
  if (given.hidden !== undefined) made.hidden = given.hidden;
  for (const [name, value] of Object.entries(given.attributes ?? {})) {
    made.setAttribute(name, value);
  }
  const { onClick } = given;
  if (onClick !== undefined) made.addEventListener('click', onClick as EventListener);
  made.append(...children);
  return made;
}

/** A button that submits nothing. */
export function button(
  label: string,
  onClick: () => void,
  given: Attributes = {},
): HTMLButtonElement {
  const attributes = { type: 'button', ...given.attributes };
  return element('button', { ...given, attributes, onClick }, [label]);
}

/** An element that page.html holds. */
export function found<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const there = document.getElementById(id);
  if (there instanceof kind) return there;
  throw new Error(`page.html has no ${kind.name} with id ${id}`);
}
