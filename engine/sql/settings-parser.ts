// SETTINGS a = 1, b = 'x': names with literal values. A bare name means true.

import type { Setting } from './ast.ts';
import { parseLiteralValue } from './literal-parser.ts';
import type { TokenCursor } from './token-cursor.ts';

/** The list after SETTINGS or SET. */
export function parseSettings(cursor: TokenCursor): Setting[] {
  const settings: Setting[] = [];
  do settings.push(parseSetting(cursor));
  while (cursor.take(','));
  return settings;
}

function parseSetting(cursor: TokenCursor): Setting {
  const at = cursor.at;
  const name = cursor.expectName();
  if (!cursor.take('=')) return { at, name, value: { kind: 'bool', value: true } };
  const { key } = cursor.token;
  if (key === 'DEFAULT') throw cursor.unsupported('DEFAULT as the value of a setting');
  if (key === '[' || key === '{' || key === '(') {
    throw cursor.unsupported('A setting whose value is a list');
  }
  return { at, name, value: parseLiteralValue(cursor) };
}
