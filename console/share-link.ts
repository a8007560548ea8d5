// The question in the page's address, behind the #, which browsers keep to themselves: base64url of
// its UTF-8. A link is never run by itself, only shown.

export function fragmentOf(text: string): string {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte));
  const base64 = btoa(bytes.join(''));
  return `#${base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
}

/** Undefined when the fragment is empty or was not made by `fragmentOf`. */
export function textOfFragment(fragment: string): string | undefined {
  const base64 = fragment.replace(/^#/, '').replaceAll('-', '+').replaceAll('_', '/');
  if (base64 === '') return undefined;
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
