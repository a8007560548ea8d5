// How many columns of a terminal a text takes, as ClickHouse reckons it: wide characters take two,
// marks and controls none, tabs go on to the next multiple of eight. Of Unicode 11: symbols that came
// later, most emoji among them, take one.

/** Code points of width two, in hexadecimal: `first-last` or a single one. */
const wideText = [
  '1100-115f 231a-231b 2329-232a 23e9-23ec 23f0 23f3 25fd-25fe 2614-2615 2648-2653 267f 2693',
  '26a1 26aa-26ab 26bd-26be 26c4-26c5 26ce 26d4 26ea 26f2-26f3 26f5 26fa 26fd 2705 270a-270b',
  '2728 274c 274e 2753-2755 2757 2795-2797 27b0 27bf 2b1b-2b1c 2b50 2b55 2e80-2e99 2e9b-2ef3',
  '2f00-2fd5 2ff0-2ffb 3000-3029 3030-303e 3041-3096 309b-30ff 3105-312f 3131-318e 3190-31ba',
  '31c0-31e3 31f0-321e 3220-3247 3250-32fe 3300-4dbf 4e00-a48c a490-a4c6 a960-a97c ac00-d7a3',
  'f900-faff fe10-fe19 fe30-fe52 fe54-fe66 fe68-fe6b ff01-ff60 ffe0-ffe6 16fe0-16fe1',
  '17000-187f1 18800-18af2 1b000-1b11e 1b170-1b2fb 1f200 1f210-1f219 1f21b-1f22e 1f230-1f231',
  '1f23b 1f240-1f248 1f260-1f265 1f57a 1f5a4 1f6d1-1f6d2 1f6f4-1f6f9 1f919-1f93e 1f940-1f970',
  '1f973-1f976 1f97a 1f97c-1f97f 1f985-1f9a2 1f9b0-1f9b9 1f9c1-1f9c2 1f9d0-1f9ff 20000-2fffd',
];

const wide: readonly (readonly [first: number, last: number])[] = wideText
  .flatMap((line) => line.split(' '))
  .map((range) => {
    const [first = '', last = first] = range.split('-');
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
  });

const plain = /^[\x20-\x7e]*$/;
const widthless = /^[\p{M}\p{C}\p{Zl}\p{Zp}]$/u;
const tabStop = 8;

/** Of a text that begins in this column of the line: tabs depend on it. */
export function textWidth(text: string, column = 0): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character, column + width);
  return width;
}

/** The longest beginning that takes at most so many columns. */
export function cutToWidth(text: string, widthMax: number, column = 0): string {
  let width = 0;
  let end = 0;
  for (const character of text) {
    width += characterWidth(character, column + width);
    if (width > widthMax) break;
    end += character.length;
  }
  return text.slice(0, end);
}

function characterWidth(character: string, column: number): number {
  if (character === '\t') return tabStop - (column % tabStop);
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return code < 0x20 || (code >= 0x7f && code < 0xa0) || code === 0xad ? 0 : 1;
  if (isWide(code)) return 2;
  return widthless.test(character) ? 0 : 1;
}

function isWide(code: number): boolean {
  let start = 0;
  let end = wide.length;
  while (start < end) {
    const middle = (start + end) >> 1;
    const [first, last] = wide[middle] ?? [0, 0];
    if (code < first) end = middle;
    else if (code > last) start = middle + 1;
    else return true;
  }
  return false;
}
