// An intern table of integers that may become many: small ones live in JavaScript, large ones move on to
// WebAssembly memory, where growing stops nobody. To be closed when its keys are out.

import type { KeyDomain, KeyList } from '../../storage-format/key-list.ts';
import { createInternTable, IntegerInternTable, type Interning } from './intern-table.ts';
import { KernelInternTable } from './kernel-intern-table.ts';

/** More keys are worth a table of some megabytes. */
const smallMax = 131_072;

/** For keys that may be many; where about so many are expected, they cost no growing. */
export function createGrowingTable(domain: KeyDomain, expected = 0): Interning {
  return domain === 'integer' ? new GrowingInternTable(expected) : createInternTable(domain);
}

export class GrowingInternTable implements Interning {
  readonly domain = 'integer';
  #small = new IntegerInternTable();
  #large: KernelInternTable | undefined;

  constructor(expected = 0) {
    if (expected > smallMax) this.#large = new KernelInternTable(expected);
  }

  get bytes(): number {
    return this.#large?.bytes ?? this.#small.bytes;
  }

  intern(keys: KeyList, out: Uint32Array): void {
    if (this.#large === undefined || keys.domain !== 'integer') this.#small.intern(keys, out);
    else this.#large.intern(keys.values, out);
    if (this.#small.count > smallMax) this.#moveOn();
  }

  keys(): KeyList {
    if (this.#large === undefined) return this.#small.keys();
    return { domain: 'integer', values: this.#large.keys() };
  }

  close(): void {
    this.#large?.close();
  }

  #moveOn(): void {
    const { values } = this.#small.keys();
    this.#large = new KernelInternTable();
    this.#large.intern(values, new Uint32Array(values.length));
    this.#small = new IntegerInternTable();
  }
}
