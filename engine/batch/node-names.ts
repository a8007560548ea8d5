// Finds a node that says the same as another: by what it does, its operands, and a hash of some numbers
// of its arrays, which are then compared. Literal ids are not looked into.

import type { SetColumn } from './batch.ts';

type Numbers = Int32Array | Uint32Array | BigUint64Array;

export class NodeNames {
  readonly #places = new Map<string, number[]>();

  /** The first of `columns` that was added and says the same. */
  find(column: SetColumn, columns: readonly SetColumn[]): number | undefined {
    const name = nameOf(column);
    if (name === undefined) return undefined;
    return this.#places.get(name)?.find((place) => {
      const other = columns[place];
      return other !== undefined && sameArrays(arraysOf(column), arraysOf(other));
    });
  }

  add(column: SetColumn, place: number): number {
    const name = nameOf(column);
    if (name !== undefined) this.#places.set(name, [...(this.#places.get(name) ?? []), place]);
    return place;
  }
}

function nameOf(column: SetColumn): string | undefined {
  const hashes = arraysOf(column).map(hashOf).join();
  switch (column.op) {
    case 'stored':
      return `stored ${column.dictionary} ${column.source} ${column.columnId} ${hashes}`;
    case 'raw':
    case 'grouped':
    case 'here':
      return undefined;
    case 'fold':
      return `fold ${column.how} ${column.of} ${hashes}`;
    case 'pair':
      return `pair ${column.how} ${column.a} ${column.b}`;
    case 'concat':
      return `concat ${column.of.join()}`;
    default:
      return `${column.op} ${column.of} ${hashes}`;
  }
}

function arraysOf(column: SetColumn): readonly Numbers[] {
  switch (column.op) {
    case 'stored':
      return [column.rows];
    case 'take':
      return [column.index];
    case 'fold':
      return [column.offsets, column.index];
    case 'range':
      return [column.from, column.to];
    default:
      return [];
  }
}

/** Arrays may hold millions of numbers: so many of them tell most of them apart. */
const samplesMax = 4096;

function hashOf(numbers: Numbers): string {
  const words = new Int32Array(numbers.buffer, numbers.byteOffset, numbers.byteLength / 4);
  // Odd, so that both halves of 64-bit numbers are seen.
  const step = Math.floor(words.length / samplesMax) | 1;
  let hash = 0x811c9dc5;
  for (let i = 0; i < words.length; i += step) {
    hash = Math.imul(hash ^ (words[i] as number), 0x01000193);
  }
  return `${words.length}:${hash}`;
}

function sameArrays(a: readonly Numbers[], b: readonly Numbers[]): boolean {
  return a.every((numbers, i) => {
    const others = b[i];
    if (others?.length !== numbers.length) return false;
    if (others.buffer === numbers.buffer && others.byteOffset === numbers.byteOffset) return true;
    for (let k = 0; k < numbers.length; k++) if (numbers[k] !== others[k]) return false;
    return true;
  });
}
