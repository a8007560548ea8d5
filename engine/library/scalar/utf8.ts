// The characters that byte strings spell in UTF-8.

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
