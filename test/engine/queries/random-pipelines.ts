// Random queries over the corpus's tables: relations of a key and a set, built of each other by WHERE,
// GROUP BY, JOIN, UNION ALL, LIMIT and set functions, and one question about the last. Every answer is
// determined: whatever is cut is ordered to the last bit first.

import fc from 'fast-check';

const labels = ["'city'", "'os'", "'age'", "'paid'", "'nothing'"] as const;
const events = ["'open'", "'view'", "'cart'", "'pay'"] as const;

const label = fc.constantFrom(...labels);
const event = fc.constantFrom(...events);
const operator = fc.constantFrom('bitmapAnd', 'bitmapOr', 'bitmapXor', 'bitmapAndnot');
const id = fc.oneof(
  fc.nat(60).map((n) => `toUInt64(intHash32(${n}) * 4000000007)`),
  fc.nat(3).map((n) => `toUInt64(${n} + 999999999990)`),
);
const idList = fc.array(id, { minLength: 1, maxLength: 4 });
const bound = fc.nat(18).map((n) => `toUInt64(${n}000000000000000000)`);

const ids = idList.map((list) => `[${list.join(', ')}]`);
const literal = ids.map((list) => `bitmapBuild(${list})`);
const scalar = fc.oneof(
  literal,
  label.map((l) => `(SELECT groupBitmapMergeState(users) FROM bm.tags WHERE label = ${l})`),
  event.map((e) => `(SELECT groupBitmapState(uid) FROM bm.ev WHERE event = ${e})`),
);

const source = fc.oneof(
  label.map((l) => `SELECT value AS k, users AS u FROM bm.tags WHERE label != ${l}`),
  label.map((l) => `SELECT value AS k, users AS u FROM bm.tags WHERE label = ${l}`),
  event.map(
    (e) =>
      `SELECT city AS k, groupBitmapMergeState(users) AS u FROM bm.daily WHERE event = ${e} GROUP BY k`,
  ),
  event.map(
    (e) =>
      `SELECT os AS k, groupBitmapMergeStateIf(users, event = ${e}) AS u FROM bm.daily GROUP BY k`,
  ),
  event.map(
    (e) => `SELECT city AS k, groupBitmapState(uid) AS u FROM bm.ev WHERE event != ${e} GROUP BY k`,
  ),
  fc.constant('SELECT toString(seg_id) AS k, users AS u FROM bm.seg'),
  literal.map((set) => `SELECT 'bj' AS k, ${set} AS u`),
);

const combined = fc.oneof(
  fc.tuple(operator, scalar).map(([name, set]) => `${name}(u, ${set})`),
  fc.tuple(operator, scalar).map(([name, set]) => `${name}(${set}, u)`),
  fc.array(fc.tuple(id, id), { minLength: 1, maxLength: 3 }).map((pairs) => {
    const [from, to] = [0, 1].map((side) => pairs.map((pair) => pair[side]).join(', '));
    return `bitmapTransform(u, [${from}], [${to}])`;
  }),
);

const subset = fc.oneof(
  fc.tuple(bound, bound).map(([from, to]) => `bitmapSubsetInRange(u, ${from}, ${to})`),
  fc.tuple(bound, fc.nat(9)).map(([from, n]) => `bitmapSubsetLimit(u, ${from}, toUInt64(${n}))`),
  fc
    .tuple(fc.nat(6), fc.nat(9))
    .map(([start, n]) => `subBitmap(u, toUInt64(${start}), toUInt64(${n}))`),
);

const condition = fc.oneof(
  fc.nat(20).map((n) => `bitmapCardinality(u) > ${n}`),
  id.map((one) => `bitmapContains(u, ${one})`),
  scalar.map((set) => `bitmapHasAny(u, ${set})`),
  scalar.map((set) => `NOT bitmapHasAll(u, ${set})`),
  fc.constant("k < 'm'"),
);

const relationOf = (mapped: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.letrec<{ relation: string }>((tie) => ({
    relation: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      source,
      fc.tuple(tie('relation'), condition).map(([r, c]) => `SELECT k, u FROM (${r}) WHERE ${c}`),
      fc.tuple(tie('relation'), mapped).map(([r, f]) => `SELECT k, ${f} AS u FROM (${r})`),
      tie('relation').map(
        (r) =>
          `SELECT substring(k, 1, 1) AS k, groupBitmapMergeState(u) AS u FROM (SELECT k, u FROM (${r})) GROUP BY k`,
      ),
      fc
        .tuple(tie('relation'), tie('relation'), operator, fc.constantFrom('INNER', 'LEFT'))
        .map(
          ([a, b, name, how]) =>
            `SELECT a.k AS k, ${name}(a.u, b.u) AS u FROM (${a}) AS a ${how} JOIN (${b}) AS b ON a.k = b.k`,
        ),
      fc
        .tuple(source, source, operator)
        .map(
          ([a, b, name]) =>
            `SELECT concat(a.k, b.k) AS k, ${name}(a.u, b.u) AS u FROM (${a}) AS a, (${b}) AS b`,
        ),
      fc
        .tuple(tie('relation'), tie('relation'))
        .map(
          ([a, b]) =>
            `SELECT k, u FROM (SELECT k, u FROM (${a}) UNION ALL SELECT k, u FROM (${b}))`,
        ),
      fc
        .tuple(tie('relation'), fc.nat(6))
        .map(
          ([r, n]) =>
            `SELECT k, u FROM (${r}) ORDER BY bitmapCardinality(u) DESC, k, toString(arraySort(bitmapToArray(u))) LIMIT ${n}`,
        ),
      fc
        .tuple(tie('relation'), fc.integer({ min: 1, max: 2 }))
        .map(
          ([r, n]) =>
            `SELECT k, u FROM (${r}) ORDER BY bitmapCardinality(u), k, toString(arraySort(bitmapToArray(u))) LIMIT ${n} BY k`,
        ),
    ),
  })).relation;

const questions: readonly ((relation: string) => string)[] = [
  (r) => `SELECT k, bitmapCardinality(u) AS n FROM (${r}) ORDER BY k, n`,
  (r) => `SELECT k, toString(arraySort(bitmapToArray(u))) AS ids FROM (${r}) ORDER BY k, ids`,
  (r) => `SELECT count(), sum(bitmapCardinality(u)), max(bitmapCardinality(u)) FROM (${r})`,
  (r) => `SELECT groupBitmapOr(u), groupBitmapAnd(u), groupBitmapXor(u) FROM (${r})`,
  (r) =>
    `SELECT k, bitmapMin(u) AS least, bitmapMax(u) AS most FROM (${r}) ORDER BY k, least, most`,
  (r) =>
    `SELECT id, count() FROM (SELECT arrayJoin(bitmapToArray(u)) AS id FROM (${r})) GROUP BY id ORDER BY id`,
  (r) => `SELECT k, id FROM (${r}) LEFT ARRAY JOIN bitmapToArray(u) AS id ORDER BY k, id LIMIT 40`,
  (r) =>
    `SELECT event, count(), uniqExact(uid) FROM bm.ev WHERE bitmapContains((SELECT groupBitmapMergeState(u) FROM (${r})), uid) GROUP BY event ORDER BY event`,
  (r) => `SELECT count() FROM bm.ev WHERE uid IN (SELECT arrayJoin(bitmapToArray(u)) FROM (${r}))`,
  (r) => `SELECT k, avg(bitmapCardinality(u)) AS a FROM (${r}) GROUP BY k HAVING a > 1 ORDER BY k`,
];

const pipelineOf = (mapped: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(relationOf(mapped), fc.constantFrom(...questions))
    .map(([relation, question]) => question(relation));

/** Statements for the sparse data of the corpus. */
export const pipeline: fc.Arbitrary<string> = pipelineOf(fc.oneof(combined, subset));

/**
 * Without bitmapSubsetInRange, bitmapSubsetLimit and subBitmap, which ClickHouse 26.7 answers wrongly
 * for sets of up to 32 ids where ids are above 2^32, or are not ascending.
 */
export const pipelineWithoutSubsets: fc.Arbitrary<string> = pipelineOf(combined);
