import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dataKey,
  dataName,
  headKey,
  headPrefix,
  pageKey,
  parseDataName,
  parseHeadKey,
  spillKey,
} from '../../catalog/keys.ts';
import type { CatalogVersion, NamespaceId } from '../../catalog/schema.ts';

const ns = (id: number) => id as NamespaceId;
const version = (n: number) => n as CatalogVersion;
const id = '0123456789abcdef0123456789abcdef';

describe('keys', () => {
  it('are spelled as SPEC.md says', () => {
    expect(headKey(ns(7), version(1))).toBe('catalog/7/heads/7ffffffffffffffe');
    expect(pageKey(ns(7), id)).toBe(`catalog/7/pages/${id}`);
    expect(dataKey(ns(7), dataName(id, 12))).toBe(`data/7/${id}-12`);
    expect(spillKey(ns(0), id)).toBe(`spill/0/${id}`);
  });

  it('of heads come back, and sort the newest first', () => {
    const versions = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(fc.nat(), versions, versions, (namespace, a, b) => {
        const key = headKey(ns(namespace), version(a));
        expect(parseHeadKey(key)).toEqual({ namespace, version: a });
        const other = headKey(ns(namespace), version(b));
        expect(Math.sign(a - b)).toBe(key < other ? 1 : key > other ? -1 : 0);
        expect(key.startsWith(headPrefix(ns(namespace)))).toBe(true);
      }),
    );
  });

  it('of other things are no heads', () => {
    for (const key of [pageKey(ns(1), id), `${headPrefix(ns(1))}ffffffffffffffff`, 'catalog']) {
      expect(parseHeadKey(key as never)).toBeUndefined();
    }
  });

  it('no name can steer a key out of its prefix', () => {
    const steering = ['', '..', '../heads/x', `${id}/..`, `${id}-`, `${id}-01`, id.toUpperCase()];
    for (const name of steering) {
      expect(() => dataKey(ns(1), name)).toThrow(/32 lower-case hex digits/);
      expect(() => pageKey(ns(1), name)).toThrow(/32 lower-case hex digits/);
    }
  });

  it('of data split into id and group', () => {
    expect(parseDataName(id)).toEqual({ id });
    expect(parseDataName(`${id}-4095`)).toEqual({ id, group: 4095 });
  });
});
