// What Muster calls itself in answers: the release of ClickHouse that it speaks like, and its own.

import { dialectVersion } from '../engine/library/scalar/introspection.ts';

export const musterVersion = `${dialectVersion} muster 0.1.0`;
export const displayName = 'muster';
