// The builder of UUID columns: text with dashes or without, RowBinary's two halves.

import { nilUuid, parseUuid, uuidBytes, uuidFromBinary } from '../../storage-format/uuid.ts';
import type { InsertColumn } from '../ingest/insert-block.ts';
import type { ScalarBuilder } from './input-builder.ts';

export class UuidBuilder implements ScalarBuilder {
  readonly kind = 'scalar';
  readonly json = 'string';
  #values: string[] = [];

  get length(): number {
    return this.#values.length;
  }

  text(bytes: Buffer, start: number, end: number): void {
    this.#values.push(parseUuid(bytes.toString('latin1', start, end)));
  }

  binary(bytes: Buffer, at: number, end: number): number {
    const next = at + uuidBytes;
    if (next > end) return -1;
    this.#values.push(uuidFromBinary(bytes.toString('latin1', at, next)));
    return next;
  }

  null(): void {
    this.default();
  }

  default(): void {
    this.#values.push(nilUuid);
  }

  truncate(length: number): void {
    this.#values.length = length;
  }

  finish(): InsertColumn {
    const values = this.#values;
    this.#values = [];
    return { kind: 'string', values };
  }
}
