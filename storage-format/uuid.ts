// UUIDs in memory are byte strings of 16: the last 8 bytes of the text form, then the first 8. So the
// order of such strings is ClickHouse's order of UUIDs, which looks at their second half first, and
// columns, keys and sorts need not know the type. On disk, in hashes and in states the bytes stand as
// in the text form. SPEC.md, "Keys" and "Columns".

import { MusterError } from '../base/errors.ts';

export const uuidBytes = 16;

/** `00000000-0000-0000-0000-000000000000`. */
export const nilUuid = '\0'.repeat(uuidBytes);

/** From the order of text to the order in memory, and back; the nil UUID for '' (under a NULL). */
export function swapUuidHalves(value: string): string {
  return value === '' ? nilUuid : value.slice(8) + value.slice(0, 8);
}

const uuidForm = /^[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}$/i;

/** The form in memory. Takes 32 hex digits, with dashes at the four usual places or without any. */
export function parseUuid(text: string): string {
  if (!uuidForm.test(text)) {
    throw new MusterError(
      'CANNOT_PARSE_UUID',
      `Cannot parse UUID from '${text.slice(0, 50)}': expected 32 hexadecimal digits, or 36 ` +
        'characters with dashes at positions 8, 13, 18, 23',
    );
  }
  return swapUuidHalves(Buffer.from(text.replaceAll('-', ''), 'hex').toString('latin1'));
}

/** The text, in lower case with dashes. */
export function formatUuid(value: string): string {
  const hex = Buffer.from(swapUuidHalves(value), 'latin1').toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** As RowBinary has it, and ClickHouse's memory: both halves little end first, the first one first. */
export function uuidToBinary(value: string): string {
  const text = swapUuidHalves(value);
  return reverse(text.slice(0, 8)) + reverse(text.slice(8));
}

export function uuidFromBinary(bytes: string): string {
  return reverse(bytes.slice(8)) + reverse(bytes.slice(0, 8));
}

function reverse(half: string): string {
  return Buffer.from(half, 'latin1').reverse().toString('latin1');
}
