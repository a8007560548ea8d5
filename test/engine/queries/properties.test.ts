// Random set expressions as SQL, against sets computed the stupid way.

import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { Session } from './session.ts';

type Tree =
  | { readonly op: 'stored'; readonly key: number }
  | { readonly op: 'literal'; readonly ids: readonly number[] }
  | { readonly op: 'and' | 'or' | 'xor' | 'andnot'; readonly a: Tree; readonly b: Tree }
  | { readonly op: 'range'; readonly of: Tree; readonly from: number; readonly to: number }
  | { readonly op: 'limit' | 'slice'; readonly of: Tree; readonly from: number; readonly n: number }
  | { readonly op: 'transform'; readonly of: Tree; readonly from: number[]; readonly to: number[] };

const keys = 6;
const idsOf = (key: number): number[] =>
  Array.from({ length: 40 }, (_, i) => i * (key + 1)).filter((id) => id % 7 !== key);

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.record({ op: fc.constant('stored' as const), key: fc.nat(keys) }),
    fc.record({
      op: fc.constant('literal' as const),
      ids: fc.array(fc.nat(300), { maxLength: 6 }),
    }),
    fc.record({
      op: fc.constantFrom('and' as const, 'or' as const, 'xor' as const, 'andnot' as const),
      a: tie('tree'),
      b: tie('tree'),
    }),
    fc.record({
      op: fc.constant('range' as const),
      of: tie('tree'),
      from: fc.nat(100),
      to: fc.nat(250),
    }),
    fc.record({
      op: fc.constantFrom('limit' as const, 'slice' as const),
      of: tie('tree'),
      from: fc.nat(60),
      n: fc.nat(30),
    }),
    fc
      .record({
        of: tie('tree'),
        pairs: fc.array(fc.tuple(fc.nat(60), fc.nat(60)), { maxLength: 5 }),
      })
      .map(({ of, pairs }) => ({
        op: 'transform' as const,
        of,
        from: pairs.map(([a]) => a),
        to: pairs.map(([, b]) => b),
      })),
  ),
}));

let session: Session;

beforeAll(async () => {
  session = await Session.open({ rangesPerGroup: 3 });
  await session.run('CREATE DATABASE bm');
  await session.run(
    'CREATE TABLE s (k UInt8, u AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY k SETTINGS muster_groups = 3',
  );
  for (const half of [0, 1]) {
    for (let key = 0; key < keys; key++) {
      const ids = idsOf(key).filter((_, i) => i % 2 === half);
      await session.run(
        `INSERT INTO s SELECT ${key}, groupBitmapState(toUInt64(x)) FROM (SELECT 1) ARRAY JOIN [${ids.join(', ')}] AS x`,
      );
    }
  }
});

it('set expressions give the sets that naive evaluation gives', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (expression) => {
      const expected = [...evaluate(expression)].sort((a, b) => a - b);
      const set = print(expression);
      const { text } = await session.ask(
        `SELECT bitmapToArray(${set}), bitmapCardinality(${set}), bitmapContains(${set}, 12)`,
      );
      const list = `[${expected.join(',')}]`;
      expect(text).toBe(`${list}\t${expected.length}\t${expected.includes(12) ? 1 : 0}`);
    }),
    { numRuns: 150, seed: 7 },
  );
});

function print(node: Tree): string {
  switch (node.op) {
    case 'stored':
      return `(SELECT groupBitmapMergeState(u) FROM s WHERE k = ${node.key})`;
    case 'literal':
      return `bitmapBuild(CAST([${node.ids.join(', ')}], 'Array(UInt64)'))`;
    case 'range':
      return `bitmapSubsetInRange(${print(node.of)}, toUInt64(${node.from}), toUInt64(${node.to}))`;
    case 'limit':
      return `bitmapSubsetLimit(${print(node.of)}, toUInt64(${node.from}), toUInt64(${node.n}))`;
    case 'slice':
      return `subBitmap(${print(node.of)}, toUInt64(${node.from}), toUInt64(${node.n}))`;
    case 'transform':
      return `bitmapTransform(${print(node.of)}, CAST([${node.from.join(', ')}], 'Array(UInt64)'), CAST([${node.to.join(', ')}], 'Array(UInt64)'))`;
    default: {
      const name = node.op[0]!.toUpperCase() + node.op.slice(1);
      return `bitmap${name}(${print(node.a)}, ${print(node.b)})`;
    }
  }
}

function evaluate(node: Tree): Set<number> {
  switch (node.op) {
    case 'stored':
      return new Set(node.key < keys ? idsOf(node.key) : []);
    case 'literal':
      return new Set(node.ids);
    case 'range':
      return new Set([...evaluate(node.of)].filter((id) => id >= node.from && id < node.to));
    case 'limit': {
      const from = [...evaluate(node.of)].filter((id) => id >= node.from).sort((a, b) => a - b);
      return new Set(from.slice(0, node.n));
    }
    case 'slice': {
      const sorted = [...evaluate(node.of)].sort((a, b) => a - b);
      return new Set(sorted.slice(node.from, node.from + node.n));
    }
    case 'transform': {
      const set = evaluate(node.of);
      node.from.forEach((id, i) => {
        if (set.delete(id)) set.add(node.to[i]!);
      });
      return set;
    }
    default:
      return pair(node.op, evaluate(node.a), evaluate(node.b));
  }
}

function pair(op: 'and' | 'or' | 'xor' | 'andnot', a: Set<number>, b: Set<number>): Set<number> {
  const both = [...a].filter((id) => b.has(id));
  const onlyA = [...a].filter((id) => !b.has(id));
  const onlyB = [...b].filter((id) => !a.has(id));
  if (op === 'and') return new Set(both);
  if (op === 'andnot') return new Set(onlyA);
  return new Set(op === 'or' ? [...a, ...b] : [...onlyA, ...onlyB]);
}
