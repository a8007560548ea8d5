// The reference names what there is, and nothing that isn't.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { errorClasses } from '../../base/errors.ts';
import { aggregateFunctionNames, scalarFunctionNames } from '../../engine/library/registry.ts';
import { setFunctionNames } from '../../engine/plan/set-functions.ts';
import { listSettings, readSettings, refusedSettings } from '../../engine/settings.ts';
import { repository } from './places.ts';

const page = (name: string) => readFileSync(join(repository, 'docs/reference', name), 'utf8');

it('every function is on the page of functions, and no other', () => {
  const text = page('functions.md');
  const named = new Set([...text.matchAll(/`(\w+)(?:\([^`]*)?`/g)].map((match) => match[1]));
  const known = [...aggregateFunctionNames(), ...scalarFunctionNames(), ...setFunctionNames()];
  expect(known.filter((name) => !named.has(name) && !/^_|^groupBitmap/.test(name))).toEqual([]);
  const notFunctions =
    /^(groupBitmap\w*|MergeState|State|If|OrDefault|OrNull|DISTINCT|n|a|b|to|from)$/;
  const extra = [...named].filter((name) => name !== undefined && !known.includes(name));
  expect(extra.filter((name) => !notFunctions.test(name ?? ''))).toEqual([]);
});

it('every honoured setting is on the page of settings, with its default', () => {
  const text = page('settings.md');
  const rows = new Map(
    [...text.matchAll(/^\| `(\w+)` \| (\S*?) ?\|/gm)].map((match) => [match[1], match[2]]),
  );
  const plain = (name: string, value: string) =>
    /^(true|false)$/.test(value) ? String(Number(value === 'true')) : name === '' ? '' : value;
  for (const { name, value } of listSettings(readSettings(new Map()))) {
    expect([name, rows.get(name)?.replaceAll('`', '')]).toEqual([name, plain(name, value)]);
  }
});

it('every refused setting is on the page of settings, and no other', () => {
  const [, paragraph = ''] = /^Refused, unless([^]*?)\n\n/m.exec(page('settings.md')) ?? [];
  const named = new Set([...paragraph.matchAll(/`([a-z_]+)`/g)].map((match) => match[1]));
  expect(named).toEqual(refusedSettings);
});

it('every error is on the page of errors, with its code and status, and no other', () => {
  const rows = [...page('errors.md').matchAll(/^\| (\d+) \| (\d+ `.*) \|$/gm)];
  const named = rows.flatMap(([, http, errors = '']) =>
    [...errors.matchAll(/(\d+) `(\w+)`/g)].map(([, code, name]) => `${http} ${code} ${name}`),
  );
  const known = Object.entries(errorClasses).map(
    ([name, { code, http }]) => `${http} ${code} ${name}`,
  );
  expect(new Set(named)).toEqual(new Set(known));
});

it('codes and statuses of errors are those of the table', () => {
  const rows = [...page('errors.md').matchAll(/^\| ([\d ]+) \| ([`\w ]+) \| ([\d, ]+) \|/gm)];
  expect(rows.length).toBeGreaterThan(8);
  for (const [, codes = '', names = '', statuses = ''] of rows) {
    const found = [...names.matchAll(/`(\w+)`/g)].map(
      (match) => match[1] as keyof typeof errorClasses,
    );
    expect(codes.trim().split(' ').map(Number)).toEqual(
      found.map((name) => errorClasses[name]?.code),
    );
    const all = new Set(found.map((name) => String(errorClasses[name]?.http)));
    expect(statuses.trim().split(', ')).toEqual([...all]);
  }
});
