// Texts of queries and errors as they may be logged: short, and without what looks like a secret.
// Rather too much is hidden than too little; the word is ClickHouse's.

const hidden = "'[HIDDEN]'";
const logged = 1000;
/** Looked at before shortening: whatever is cut off can't leak. */
const looked = 4 * logged;

const literal = String.raw`'(?:[^'\\]|\\.|'')*(?:'|$)`;
const quoted = String.raw`(?:${literal}|"(?:[^"\\]|\\.)*(?:"|$)|\$\w*\$[^$]*(?:\$\w*\$|$))`;
/** Of a call's arguments; in a comment a quote is none. */
const pieces = String.raw`${quoted}|/\*[^]*?(?:\*/|$)|--[^\n]*|[()]`;
const blank = String.raw`(?:\s|/\*[^*]*\*/)*`;
/**
 * Functions and engines that are given keys, and what is mistyped for one (an address comes first): all
 * literals but that address.
 */
const keyed =
  /\b(\w+(?=\s*\(\s*'(?:s3|s3a|s3n|gs|gcs|oss|cos|cosn|abfss?|wasbs?|az):\/\/)|s3\w*|gcs|oss|cosn|azureblobstorage\w*|mysql|postgresql|mongodb|redis|remote\w*|(?:aes_)?(?:en|de)crypt\w*)\s*\(/gi;
const words =
  'password|passwd|pwd|passphrase|secret|token|credential|access_?key|api_?key|private_?key|authorization';
const name = String.raw`\b(?=\w*(?:${words}))\w+`;
/** Of a name, a value in quotes; behind a sign, a bare one too. */
const assigned = new RegExp(
  String.raw`((?:${name}|\bidentified(?:\s+with\s+\w+)?\s+by)['"]?${blank}(?:(?:=>?|:|,)${blank})?)${quoted}`,
  'gi',
);
const bare = new RegExp(String.raw`(${name}['"]?${blank}(?:=>?|:)${blank})[^\s'"$,;()&]+`, 'gi');
const named = new RegExp(String.raw`${literal}(\s+as\s+${name})`, 'gi');
const calls = /(?<![\w+.-])(bearer|basic)(\s+)[\w+/=.~-]{8,}/gi;
const userInfo = /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]*:\/\/[^\s:/@'"]*):[^\s/'"]*@/gi;
const signed = /([?&](?:X-Amz-[A-Za-z-]*|Signature|AWSAccessKeyId|sig)=)[^&\s'"]+/gi;
const keyId = /\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/g;

/** At most about 1,000 characters of it. */
export function secretFreeText(text: string): string {
  const safe = hideArguments(text.slice(0, looked))
    .replace(assigned, (_, before: string) => `${before}${hidden}`)
    .replace(calls, '$1$2[HIDDEN]')
    .replace(bare, '$1[HIDDEN]')
    .replace(named, `${hidden}$1`)
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
    const parts = text.slice(start, end).replace(new RegExp(pieces, 'g'), (found) => {
      if (/^[/()-]/.test(found)) return found.length > 1 ? '' : found;
      return seen++ === 0 ? found : hidden;
    });
    safe += text.slice(at, start) + parts;
    at = end;
  }
  return safe + text.slice(at);
}

/** Where the parenthesis that was opened before `start` is closed, or the end. */
function closingOf(text: string, start: number): number {
  const parts = new RegExp(pieces, 'g');
  parts.lastIndex = start;
  let depth = 1;
  for (let piece = parts.exec(text); piece !== null; piece = parts.exec(text)) {
    if (piece[0] === '(') depth++;
    else if (piece[0] === ')' && --depth === 0) return piece.index;
  }
  return text.length;
}
