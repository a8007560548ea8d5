// What the WebAssembly module exports. AssemblyScript: compiled by ../build.mjs, not by TypeScript. No
// kernel allocates: addresses are the host's (../kernel-memory.ts), and nothing is checked here.

export { bitsToCodes, bitsToShorts, countAnd, countBits } from './bitset';
export { orContainers } from './containers';
export { crc32c } from './crc32c';
export { hashIntegers, hashStrings } from './hash64';
export {
  buildIntegers,
  buildStrings,
  numberIntegers,
  numberStrings,
  placeStrings,
  probeIntegers,
  probeStrings,
  sealPages,
} from './segment-pages';
export { sortKeys } from './sort';
