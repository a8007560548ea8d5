// Text as byte strings and back. A byte string is a JavaScript string whose char codes are bytes
// 0..255: SQL's strings, which need not be text, are held so. Here those bytes are UTF-8.

/** Invalid sequences become U+FFFD. */
export function decodeUtf8(bytes: string): string {
  return isAscii(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8');
}

export function encodeUtf8(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}
