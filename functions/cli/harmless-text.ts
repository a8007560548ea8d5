// Text of others on a terminal: names and values may hold characters that command it (move its cursor,
// change its title, answer for the person). They are shown in place of being obeyed.

const ours = String.raw`\u001b\[(?:0|1|31|32|36|90)m`;
const commanding = new RegExp(`${ours}|[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]`, 'g');

/** Line feeds, tabs, and the colours of terminal.ts stay. */
export function harmlessText(text: string): string {
  return text.replace(commanding, (found) =>
    found.length > 1 ? found : pictureOf(found.charCodeAt(0)),
  );
}

/** The same for chunks of UTF-8, wherever they are cut. No colours here. */
export async function* harmlessChunks(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let held = 0;
  for await (const chunk of chunks) {
    const bytes = held === 0 ? chunk : Buffer.concat([Uint8Array.of(held), chunk]);
    // The first half of a control character of two bytes.
    held = bytes.at(-1) === c1Lead ? c1Lead : 0;
    yield harmlessBytes(held === 0 ? bytes : bytes.subarray(0, -1));
  }
  if (held !== 0) yield Uint8Array.of(held);
}

const c1Lead = 0xc2;

function harmlessBytes(bytes: Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    const isC1 = byte === c1Lead && isIn(bytes[at + 1] ?? 0, 0x80, 0xa0);
    if (!isC1 && (isIn(byte, 0x20, 0x7f) || byte > 0x7f || byte === 0x09 || byte === 0x0a))
      continue;
    const code = isC1 ? (bytes[at + 1] as number) : byte;
    pieces.push(bytes.subarray(from, at), Buffer.from(pictureOf(code), 'utf8'));
    if (isC1) at++;
    from = at + 1;
  }
  return pieces.length === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(from)]);
}

function isIn(value: number, start: number, end: number): boolean {
  return value >= start && value < end;
}

/** One column wide, as most count the character itself. */
function pictureOf(code: number): string {
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}
