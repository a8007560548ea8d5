// EXPLAIN [what] [setting = value, ...] statement [FORMAT name]. What ClickHouse can explain of its own
// insides and Muster has not got is named as unsupported.

import { MusterError } from '../../base/errors.ts';
import { suggestion } from '../../base/nearest-name.ts';
import type { Setting, Statement } from './ast.ts';
import { parseSettings } from './settings-parser.ts';
import type { TokenCursor } from './token-cursor.ts';

type Explain = Extract<Statement, { readonly kind: 'explain' }>;

const unsupported: readonly string[] = ['AST', 'PIPELINE', 'QUERY', 'TABLE', 'CURRENT'];

const whats: ReadonlyMap<string, Explain['what']> = new Map([
  ['PLAN', 'plan'],
  ['ANALYZE', 'analyze'],
  ['SYNTAX', 'syntax'],
  ['ESTIMATE', 'estimate'],
]);

/** ClickHouse's settings by what is explained: details that Muster always or never prints. */
const planSettings =
  'header input_headers description indexes indices projections actions sorting distributed ' +
  'compact pretty optimize column_structure keep_logical_steps json';
const settingNames: Readonly<Record<Explain['what'], readonly string[]>> = {
  plan: planSettings.split(' '),
  analyze: planSettings.split(' '),
  syntax: ['oneline', 'run_query_tree_passes', 'query_tree_passes'],
  estimate: [],
};

/** From the word EXPLAIN on; `parse` reads the statement that is explained. */
export function parseExplain(
  cursor: TokenCursor,
  parse: (cursor: TokenCursor) => Statement,
): Statement {
  const at = cursor.advance().start;
  const { key } = cursor.token;
  if (unsupported.includes(key)) throw cursor.unsupported(`EXPLAIN ${key}`);
  const named = whats.get(key);
  if (named !== undefined) cursor.advance();
  const what = named ?? 'plan';
  const settings = cursor.peek(1).key === '=' ? parseSettings(cursor) : [];
  for (const setting of settings) checkSetting(setting, what, cursor);
  if (cursor.is('EXPLAIN')) throw cursor.fail('statement');
  const explained = parse(cursor);
  if (explained.kind === 'select' && explained.format !== undefined) {
    const { format, ...statement } = explained;
    return { kind: 'explain', at, what, settings, statement, format };
  }
  return { kind: 'explain', at, what, settings, statement: explained };
}

function checkSetting({ name, value }: Setting, what: Explain['what'], cursor: TokenCursor): void {
  const known = settingNames[what];
  if (!known.includes(name)) {
    const all = known.length === 0 ? 'it has none' : `known: ${known.join(', ')}`;
    throw new MusterError(
      'UNKNOWN_SETTING',
      `Unknown setting '${name}' of EXPLAIN ${what.toUpperCase()}${suggestion(name, known)} (${all})`,
    );
  }
  const isOn = value.kind === 'bool' ? value.value : value.kind !== 'null' && Number(value.value);
  if (name === 'json' && isOn) throw cursor.unsupported('EXPLAIN json = 1');
}
