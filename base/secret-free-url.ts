// Addresses as they may be shown. Who may come in belongs in no address, but people put it there, and
// messages quote what they were given.

/** Without the user and the password that an address may hold: `https://[HIDDEN]@host/path`. */
export function secretFreeUrl(text: string): string {
  return text.replace(/(\/\/)[^/?#\s]*@/g, '$1[HIDDEN]@');
}
