// Texts of queries and errors as they may be logged: short, and without what looks like a secret.
// Rather too much is hidden than too little; the word is ClickHouse's.

const hidden = "'[HIDDEN]'";
const logged = 1000;
/** Looked at before shortening: whatever is cut off can't leak. */
const looked = 4 * logged;

const literal = String.raw`'(?:[^'\\]|\\.|'')*(?:'|$)`;
/** Functions and engines that are given keys: all literals but the first, which is an address. */
const keyed =
  /\b(s3\w*|gcs|oss|cosn|azureblobstorage\w*|mysql|postgresql|mongodb|redis|remote\w*)\s*\(/gi;
const assigned = new RegExp(
  String.raw`\b(\w*(?:password|secret|token|access_key|api_key|private_key)\w*|identified(?:\s+with\s+\w+)?\s+by)` +
    String.raw`(\s*(?:=>?|:|,)?\s*)${literal}`,
  'gi',
);
const userInfo = /([a-z][a-z0-9+.-]*:\/\/[^\s:/@'"]*):[^\s@/'"]+@/gi;
const signed = /([?&](?:X-Amz-[A-Za-z-]*|Signature|AWSAccessKeyId|sig|password)=)[^&\s'"]+/gi;
const keyId = /\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/g;

/** At most about 1,000 characters of it. */
export function secretFreeText(text: string): string {
  const safe = hideArguments(text.slice(0, looked))
    .replace(assigned, (_, name: string, between: string) => `${name}${between}${hidden}`)
    .replace(userInfo, '$1:[HIDDEN]@')
    .replace(signed, '$1[HIDDEN]')
    .replace(keyId, '[HIDDEN]');
  if (safe.length <= logged && text.length <= looked) return safe;
  return `${safe.slice(0, logged)}... (${text.length} characters)`;
}

function hideArguments(text: string): string {
  let safe = '';
  let at = 0;
  for (const call of text.matchAll(keyed)) {
    const start = call.index + call[0].length;
    if (call.index < at) continue;
    const end = closingOf(text, start);
    let seen = 0;
    const parts = text
      .slice(start, end)
      .replace(new RegExp(literal, 'g'), (found) => (seen++ === 0 ? found : hidden));
    safe += text.slice(at, start) + parts;
    at = end;
  }
  return safe + text.slice(at);
}

/** Where the parenthesis that was opened before `start` is closed, or the end. */
function closingOf(text: string, start: number): number {
  const pieces = new RegExp(`${literal}|[()]`, 'g');
  pieces.lastIndex = start;
  let depth = 1;
  for (let piece = pieces.exec(text); piece !== null; piece = pieces.exec(text)) {
    if (piece[0] === '(') depth++;
    else if (piece[0] === ')' && --depth === 0) return piece.index;
  }
  return text.length;
}
