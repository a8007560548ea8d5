// Statements that were run, newest first, each once, with how it went; bounded, in a store of text
// by name such as localStorage. A store that is full or forbidden keeps nothing and harms nothing.

interface HistoryEntry {
  readonly statement: string;
  /** `2026-01-05 10:00`, of the reader's clock. */
  readonly at: string;
  /** `30 rows, 12 ms`, or the error's name. */
  readonly outcome: string;
}

interface TextStore {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
}

const itemName = 'muster-history';
const entriesMax = 100;
const statementCharactersMax = 20_000;

export class StatementHistory {
  readonly #store: TextStore;
  #entries: readonly HistoryEntry[];

  constructor(store: TextStore) {
    this.#store = store;
    this.#entries = readEntries(store);
  }

  get entries(): readonly HistoryEntry[] {
    return this.#entries;
  }

  add(entry: HistoryEntry): void {
    if (entry.statement.length > statementCharactersMax) return;
    const others = this.#entries.filter(({ statement }) => statement !== entry.statement);
    this.#write([entry, ...others].slice(0, entriesMax));
  }

  clear(): void {
    this.#write([]);
  }

  #write(entries: readonly HistoryEntry[]): void {
    this.#entries = entries;
    try {
      this.#store.setItem(itemName, JSON.stringify(entries));
    } catch {
      // Kept for this visit only.
    }
  }
}

function readEntries(store: TextStore): readonly HistoryEntry[] {
  try {
    const entries: unknown = JSON.parse(store.getItem(itemName) ?? '[]');
    return Array.isArray(entries) ? entries.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is HistoryEntry {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Record<string, unknown>;
  return ['statement', 'at', 'outcome'].every((name) => typeof fields[name] === 'string');
}
