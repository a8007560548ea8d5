// Byte strings as the characters that they spell in UTF-8, and back.

/** Invalid sequences become U+FFFD. */
export function decodeUtf8(bytes: string): string {
  return isAscii(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8');
}

export function encodeUtf8(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** Characters, by their first bytes: continuation bytes are not counted. */
export function utf8Length(bytes: string): number {
  let count = 0;
  for (let i = 0; i < bytes.length; i++) if ((bytes.charCodeAt(i) & 0xc0) !== 0x80) count++;
  return count;
}

/** The bytes of each character; stray bytes are characters of their own. */
export function utf8Characters(bytes: string): string[] {
  return bytes.match(/[\xc0-\xff][\x80-\xbf]*|[\s\S]/g) ?? [];
}

export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}
