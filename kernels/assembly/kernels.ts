// What the WebAssembly module exports. AssemblyScript: compiled by ../build.mjs, not by TypeScript. No
// kernel allocates: addresses are the host's (../kernel-memory.ts), and nothing is checked here.

export { bitsToCodes, bitsToShorts, countAnd, countBits, maxCode, orCodes } from './bitset';
export { orContainers } from './containers';
export { crc32c } from './crc32c';
export { foldFar, foldNear } from './crc-fold';
export { countNew, fillRuns, sealRuns, spreadIntegers, spreadStrings } from './fresh-pages';
export { hashIntegers, hashStrings } from './hash64';
export { buildIntegers, groupIntegers, numberIntegers, probeIntegers } from './integer-pages';
export { clearBytes, sealPages } from './page-slots';
export { countPairs } from './pairs';
export { plainDelimitedRows, plainObjectRows } from './plain-rows';
export { printIntegers } from './print';
export { sipHashIntegers } from './sip-hash';
export { sortKeys } from './sort';
export { buildStrings, numberStrings, placeStrings, probeStrings } from './string-pages';
export { countTree } from './trees';
