// A headless Chromium for tests of the page, and pages that are watched: whatever they ask of another
// host, and whatever they complain about, is kept.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { testPackage } from './places.ts';

const { chromium } = createRequire(testPackage)(
  'playwright-core',
) as typeof import('playwright-core');

export interface WatchedPage {
  readonly page: Page;
  /** Requests to others than the server that the page came from. */
  readonly strangers: readonly string[];
  /** Errors and warnings of the console, and exceptions that nobody caught. */
  readonly complaints: readonly string[];
}

export async function openBrowser(): Promise<Browser> {
  const executablePath = chromiumPath();
  // Containers forbid the sandbox's namespaces, and the pages here are our own.
  return await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const strangers: string[] = [];
  const complaints: string[] = [];
  const { origin } = new URL(url);
  page.on('request', (request) => {
    const asked = request.url();
    if (!asked.startsWith(`${origin}/`) && !/^(data|blob):/.test(asked)) strangers.push(asked);
  });
  page.on('console', (message) => {
    // The browser itself reports answers that are errors; that they are shown is for the test.
    const isStatus = /status of [45]\d\d/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isStatus) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url);
  return { page, strangers, complaints };
}

function chromiumPath(): string {
  const given = process.env.MUSTER_CHROMIUM;
  if (given !== undefined) return given;
  for (const folder of (process.env.PATH ?? '').split(':')) {
    if (existsSync(`${folder}/chromium`)) return `${folder}/chromium`;
  }
  throw new Error(
    "There is no chromium on the PATH: install Debian's (apt-get install chromium), or set " +
      'MUSTER_CHROMIUM to the path of a Chromium or Chrome',
  );
}
