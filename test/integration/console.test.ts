// The page as people use it: a real Chromium over a real server. The last thing each test checks is
// that the page asked nobody but its server, and that the browser had nothing to complain about.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MusterProcess } from '../../bench/muster-process.ts';
import { demoDatabase, demoExamples } from '../../console/examples.ts';
import { fragmentOf } from '../../console/share-link.ts';
import { generatePeople } from '../../functions/demo/people/people.ts';
import { createTableSql, rowBinary } from '../../functions/demo/people/row-binary.ts';
import { openBrowser, openPage, type WatchedPage } from './browser.ts';
import { builtMain } from './places.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-console-'));
const quiet = ['--log-level', 'error', '--no-demo', '--workers', '0'];
let browser: Browser;
let demo: MusterProcess;
let locked: MusterProcess;
const open: WatchedPage[] = [];

beforeAll(async () => {
  const config = join(folder, 'muster.json');
  const users = [{ name: 'ann', password: 'two words, ünd mehr' }];
  writeFileSync(config, JSON.stringify({ users }));
  [browser, demo, locked] = await Promise.all([
    openBrowser(),
    MusterProcess.start(builtMain, ['--data', join(folder, 'demo'), ...quiet]),
    MusterProcess.start(builtMain, [
      '--data',
      join(folder, 'locked'),
      '--config',
      config,
      ...quiet,
    ]),
  ]);
  await demo.query(`CREATE DATABASE ${demoDatabase}`);
  const people = generatePeople({ people: 4000, seed: 7 });
  for (const table of people.tables) {
    await demo.query(createTableSql(table, demoDatabase));
    const insert = `INSERT INTO ${demoDatabase}.${table.name} FORMAT RowBinary`;
    await demo.query(insert, rowBinary(people, table));
  }
});

afterEach(async () => {
  for (const { page, strangers, complaints } of open.splice(0)) {
    await page.context().close();
    expect(strangers).toEqual([]);
    expect(complaints).toEqual([]);
  }
});

afterAll(async () => {
  await Promise.all([browser?.close(), demo?.stop(), locked?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

async function visit(url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const watched = await openPage(browser, url, options);
  open.push(watched);
  await watched.page.locator('.cm-content').waitFor();
  return watched.page;
}

/** The page with a text that nobody ran yet, by its link. */
async function visitWith(text: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await visit(`${demo.url}/${fragmentOf(text)}`, options);
  await page.getByText('demo.daily', { exact: true }).first().waitFor();
  return page;
}

async function run(page: Page): Promise<void> {
  await page.locator('.cm-content').press('Control+Enter');
}

const said = (page: Page, words: RegExp) =>
  page.getByRole('status').filter({ hasText: words }).first().waitFor();
const cells = (page: Page) =>
  page.locator('table.result tbody td:not(.row-number)').allInnerTexts();
const tab = (page: Page, name: string) => page.getByRole('tab', { name });

describe('by keyboard alone', () => {
  it('asks, looks at the table, the chart, the plan and the cost', async () => {
    const page = await visitWith('');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('SELECT event, groupBitmapMerge(users) AS people FROM demo.daily ');
    await page.keyboard.type('GROUP BY event ORDER BY event');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Enter');
    await said(page, /^4 rows in /);
    expect((await cells(page)).filter((_, i) => i % 2 === 0)).toEqual([
      'cart',
      'open',
      'pay',
      'view',
    ]);
    // Out of the editor, over Run and Copy link, to the tabs.
    for (let i = 0; i < 3; i++) await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.id')).toBe('tab-table');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('img', { name: 'people by event' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByText('#0 Scan demo.daily').waitFor();
    await page.keyboard.press('End');
    await page.getByText('Time in the server').waitFor();
    await page.getByText(/^Query id [\w-]{36}$/).waitFor();
    // The focus can be seen wherever it is.
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).toBe('solid');
  });

  it('completes columns of the statement’s tables', async () => {
    const page = await visitWith('');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('SELECT  FROM demo.reddot');
    for (let i = 0; i < ' FROM demo.reddot'.length; i++) await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('camp');
    await page.getByRole('option', { name: 'campaign' }).waitFor();
    // The list takes no keys in its first moment, lest it catch what was meant for the text.
    await page.waitForTimeout(150);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Enter');
    await said(page, /^30 rows in /);
    expect((await cells(page))[0]).toBe('101');
  });

  it('stops a statement with Esc', async () => {
    const page = await visitWith('SELECT count() FROM numbers(1000000000000) WHERE number % 7 = 8');
    await run(page);
    await said(page, /^Running/);
    await page.keyboard.press('Escape');
    await said(page, /^Cancelled/);
    const running = async () => {
      const health = (await (await fetch(`${demo.url}/health`)).json()) as Record<string, unknown>;
      return health.queries_running;
    };
    for (let i = 0; i < 100 && (await running()) !== 0; i++) await delay(50);
    expect(await running()).toBe(0);
  });
});

describe('statements', () => {
  it('the one under the cursor, or the selection', async () => {
    const page = await visitWith(
      "SELECT 'first;' AS a;\nSELECT 'second' AS b;\nSELECT 'third' AS c",
    );
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowDown');
    await run(page);
    await page.getByText('second', { exact: true }).waitFor();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Shift+End');
    await run(page);
    await page.getByText('first;', { exact: true }).waitFor();
    await page.keyboard.press('Control+A');
    await run(page);
    await page.getByText('third', { exact: true }).waitFor();
  });

  it('an error is marked where it is', async () => {
    const page = await visitWith(
      'SELECT 1;\n\nSELECT 2,\n  bitmapCardinalty(users)\nFROM demo.daily',
    );
    await page.keyboard.press('Control+End');
    await run(page);
    const alert = page.getByRole('alert').filter({ hasText: 'UNKNOWN_FUNCTION (code 46)' });
    await alert.waitFor();
    expect(await page.locator('.cm-lintRange-error').innerText()).toBe('bitmapCardinalty');
    await page.getByRole('button', { name: 'Go to the place' }).click();
    await page.keyboard.press('Control+Delete');
    await page.keyboard.type('count');
    expect(await page.locator('.cm-lintRange-error').count()).toBe(0);
  });

  it('all digits, the first 10,000 rows, and the whole as CSV', async () => {
    const page = await visitWith(
      'SELECT 18446744073709530000 + number AS n, toString(number) AS s FROM numbers(12000)',
    );
    await run(page);
    await said(page, /^More than 10,000 rows/);
    await page.getByText('The first 10,000 rows; there are more.').waitFor();
    expect((await cells(page)).slice(0, 2)).toEqual(['18446744073709530000', '0']);
    const align = "getComputedStyle(document.querySelector('td.number')).textAlign";
    expect(await page.evaluate(align)).toBe('right');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    const lines = readFileSync((await download.path()) ?? '', 'utf8')
      .trimEnd()
      .split('\n');
    expect([lines.length, lines[0], lines[1], lines[12_000]]).toEqual([
      12_001,
      '"n","s"',
      '18446744073709530000,"0"',
      '18446744073709541999,"11999"',
    ]);
  });

  it('are kept: the text in the link and over a reload, what ran in the history', async () => {
    const page = await visitWith('SELECT 41 + 1 AS answer');
    expect(await page.locator('table.result').count()).toBe(0);
    await run(page);
    await page.getByText('42', { exact: true }).waitFor();
    await page.goto(`${demo.url}/play`);
    await page.locator('.cm-line', { hasText: 'SELECT 41 + 1 AS answer' }).waitFor();
    await page.getByText(/1 row in/).waitFor();
  });
});

describe('examples over the demo', () => {
  it.each([
    ['Retention: cohorts by day', /^rate by day and days_later$/, 'matrix'],
    ['Activity: people a day by event', /^people by event over dt$/, 'lines'],
    ['Audience: sizes by region', /^visitors, payers by region$/, 'bars'],
    ['Funnel: saw, clicked, paid', /^saw, reacted, bought$/, 'bars'],
  ])('%s', async (title, name, kind) => {
    const page = await visitWith('');
    await page.getByRole('button', { name: title }).click();
    await page.getByRole('img', { name }).waitFor();
    expect(await tab(page, 'Chart').innerText()).toBe(`Chart: ${kind}`);
    expect(await page.getByLabel('Chart', { exact: true }).inputValue()).toBe(kind);
  });

  it('all of them run; a chart can be another one', async () => {
    const page = await visitWith('');
    for (const { title } of demoExamples) {
      await page.getByRole('button', { name: title }).click();
      await said(page, /^\d+ rows? in /);
    }
    await page.getByRole('button', { name: 'Activity: people a day by event' }).click();
    await page.getByRole('img', { name: 'people by event over dt' }).waitFor();
    await page.getByLabel('Chart', { exact: true }).selectOption('matrix');
    await page.getByRole('img', { name: 'people by dt and event' }).waitFor();
    expect(await tab(page, 'Chart').innerText()).toBe('Chart: matrix');
  });
});

describe('where users are set up', () => {
  it('asks who it is, and remembers for the session', async () => {
    const page = await visit(locked.url);
    await page.getByText('This server wants to know who asks.').waitFor();
    // The form has the focus already.
    await page.keyboard.type('ann');
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('User or password is wrong.').waitFor();
    await page.getByLabel('Password').fill('two words, ünd mehr');
    await page.keyboard.press('Enter');
    // An empty server says how to get the demo, and has a question that needs no table.
    await page.getByText('muster serve --demo').waitFor();
    await page.getByRole('button', { name: 'Two sets, without any table' }).click();
    await page.getByRole('img', { name: 'in_both, only_in_a, only_in_b, in_either' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Sign out ann' }).click();
    await page.getByText('Signed out.').waitFor();
  });
});

describe('on a phone, in the dark', () => {
  it('nothing is wider than the screen; examples are behind a button', async () => {
    const page = await visit(demo.url, {
      viewport: { width: 360, height: 740 },
      colorScheme: 'dark',
      isMobile: true,
      hasTouch: true,
    });
    const example = page.getByRole('button', { name: 'Retention: cohorts by day' });
    await example.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Examples and tables' }).tap();
    await example.tap();
    await page.getByRole('img', { name: 'rate by day and days_later' }).waitFor();
    await example.waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(background).toBe('rgb(15, 19, 26)');
  });
});
