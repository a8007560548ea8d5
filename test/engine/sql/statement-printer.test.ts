import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Expression } from '../../../engine/sql/ast.ts';
import { printExpression } from '../../../engine/sql/expression-printer.ts';
import { parseExpression, parseStatement } from '../../../engine/sql/statement-parser.ts';
import { printStatement } from '../../../engine/sql/statement-printer.ts';
import { parseType } from '../../../storage-format/data-type-parser.ts';
import { shapeOf } from './tree-shape.ts';
import { usageStatements } from './usage-statements.ts';

const at = 0;
const word = fc.constantFrom(
  'a',
  'b1',
  'date',
  'from',
  'case',
  'interval',
  'in',
  'a b',
  'é',
  '`',
  '1x',
  'null',
);
const bytes = fc
  .array(fc.integer({ min: 0, max: 255 }), { maxLength: 6 })
  .map((codes) => String.fromCharCode(...codes));
const literal: fc.Arbitrary<Expression> = fc
  .oneof(
    fc
      .bigInt({ min: -(2n ** 70n), max: 2n ** 70n })
      .map((value) => ({ kind: 'integer', value }) as const),
    fc.double().map((value) => ({ kind: 'float', value }) as const),
    bytes.map((value) => ({ kind: 'string', value }) as const),
    fc.boolean().map((value) => ({ kind: 'bool', value }) as const),
    fc.constant({ kind: 'null' } as const),
  )
  .map((value) => ({ kind: 'literal', at, literal: value }));
const name = fc
  .array(word, { minLength: 1, maxLength: 3 })
  .map((parts): Expression => ({ kind: 'name', at, parts }));
const operator = fc.constantFrom(
  'plus',
  'minus',
  'multiply',
  'modulo',
  'equals',
  'less',
  'lessOrEquals',
  'notLike',
  'isNotDistinctFrom',
  'isDistinctFrom',
  'arrayElement',
);

const { expression } = fc.letrec<{ expression: Expression }>((tie) => {
  const inner = tie('expression');
  const list = fc.array(inner, { maxLength: 3 });
  const call = (callee: string, operands: readonly Expression[]): Expression => ({
    kind: 'call',
    at,
    name: callee,
    arguments: operands,
  });
  return {
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      literal,
      name,
      fc.tuple(operator, inner, inner).map(([callee, a, b]) => call(callee, [a, b])),
      fc
        .tuple(fc.constantFrom('and', 'or', 'concat'), inner, inner, list)
        .map(([callee, a, b, rest]) => call(callee, [a, b, ...rest])),
      fc
        .tuple(
          fc.constantFrom('not', 'negate', 'isNull', 'isNotNull', 'f', 'left', 'if', 'any'),
          inner,
        )
        .map(([callee, a]) => call(callee, [a])),
      fc
        .tuple(inner, fc.nat(9))
        .map(([value, index]) =>
          call('tupleElement', [
            value,
            { kind: 'literal', at, literal: { kind: 'integer', value: BigInt(index) } },
          ]),
        ),
      list.map((items): Expression => ({ kind: 'array', at, items })),
      list.map((items): Expression => ({ kind: 'tuple', at, items })),
      fc
        .tuple(inner, inner, fc.boolean())
        .map(([value, set, negated]): Expression => ({ kind: 'in', at, negated, value, set })),
      fc.tuple(inner, fc.constantFrom('Nullable(UInt8)', "DateTime('UTC')", "Enum8('a' = 1)")).map(
        ([value, typeText]): Expression => ({
          kind: 'cast',
          at,
          value,
          type: parseType(typeText),
          typeText,
        }),
      ),
      fc
        .tuple(inner, fc.constantFrom('day', 'month'))
        .map(([value, unit]): Expression => ({ kind: 'interval', at, value, unit })),
      fc
        .tuple(inner, word)
        .map(([value, alias]): Expression => ({ kind: 'alias', at, value, name: alias })),
      fc
        .tuple(fc.array(word, { minLength: 1, maxLength: 2 }), inner, inner)
        .map(([names, body, array]) =>
          call('arrayMap', [{ kind: 'lambda', at, names, body }, array]),
        ),
      fc.tuple(list, list).map(
        ([parameters, operands]): Expression => ({
          kind: 'call',
          at,
          name: 'quantiles',
          parameters: [...parameters, { kind: 'name', at, parts: ['p'] }],
          arguments: operands,
        }),
      ),
      fc.tuple(inner, inner).map(
        ([item, where]): Expression => ({
          kind: 'subquery',
          at,
          query: parseSelectWith(item, where),
        }),
      ),
    ),
  };
});

/** `SELECT item FROM t WHERE where`, built, not parsed. */
function parseSelectWith(item: Expression, where: Expression) {
  const table = { kind: 'table', at, name: { at, table: 't' }, final: false } as const;
  const lists = { with: [], groupBy: [], orderBy: [], settings: [] };
  const select = { at, distinct: false, items: [item], from: table, where, ...lists };
  return { at, union: 'all', selects: [select] } as const;
}

test('an expression printed and parsed is the same expression', () => {
  fc.assert(
    fc.property(expression, (tree) => {
      const text = printExpression(tree);
      expect(shapeOf(parseExpression(text)), text).toEqual(shapeOf(tree));
    }),
    { numRuns: 3000, seed: 7 },
  );
});

test.each(usageStatements)('printed and parsed again it is the same: %s', (text) => {
  const statement = parseStatement(text);
  expect(shapeOf(parseStatement(printStatement(statement)))).toEqual(shapeOf(statement));
});
