// Zips that depend on nothing but what is in them: entries in order of their names, one date, one mode.
// So a zip's hash says whether its code changed.

import { createHash } from 'node:crypto';
import { unzipSync, zipSync } from 'fflate';

/** The oldest that a zip can name: in local time, as fflate writes it. */
const date = new Date(1980, 0, 1);

/** @param {Record<string, Uint8Array>} files By name. */
export function zipOf(files) {
  const names = Object.keys(files).sort();
  const entries = names.map((name) => {
    // Unix, a plain file that everybody reads: Lambda's user is not the owner.
    const options = { level: 9, mtime: date, os: 3, attrs: 0o100644 << 16 };
    return [name, [files[name], options]];
  });
  return zipSync(Object.fromEntries(entries));
}

/** @returns {Record<string, Uint8Array>} */
export function filesOf(zip) {
  return unzipSync(zip);
}

/** Lower-case hex; Lambda's CodeSha256 is the same in base64. */
export function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
