// Compiles the kernels (assembly/*.ts, AssemblyScript) to WebAssembly with SIMD over shared memory, and
// writes them as text into kernel-code.ts, so that bundles need no file beside them. Does nothing where
// that is up to date. A step of `npm run build`.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const output = path.join(here, 'kernel-code.ts');
const sources = readdirSync(path.join(here, 'assembly')).sort();
const flags =
  '-O3 --noAssert --runtime stub --enable simd --enable threads --importMemory --sharedMemory ' +
  '--initialMemory 1 --maximumMemory 65536';

const hash = createHash('sha256').update(flags);
for (const name of sources) hash.update(readFileSync(path.join(here, 'assembly', name)));
hash.update(readFileSync(fileURLToPath(import.meta.url)));
const mark = `// Of sources ${hash.digest('hex').slice(0, 16)}.`;

if (!existsSync(output) || !readFileSync(output, 'utf8').includes(mark)) {
  const code = await compiled();
  const lines = [
    '// The compiled kernels, made by build.mjs: not for editing, not for keeping.',
    mark,
    '',
    `export const kernelCode = '${Buffer.from(code).toString('base64')}';`,
    '',
  ];
  writeFileSync(output, lines.join('\n'));
  console.log(`kernels: ${code.length} bytes of WebAssembly`);
}

async function compiled() {
  const { main } = await import('assemblyscript/asc');
  let code;
  let text = '';
  const { error } = await main(['kernels.ts', '--outFile', 'kernels.wasm', ...flags.split(' ')], {
    readFile: (name) => {
      const file = path.join(here, 'assembly', name);
      return existsSync(file) ? readFileSync(file, 'utf8') : null;
    },
    writeFile: (_, contents) => {
      code = contents;
    },
    listFiles: () => [],
    stderr: {
      write: (chunk) => {
        text += chunk;
      },
    },
  });
  if (error !== null || code === undefined) {
    throw new Error(`the kernels don't compile: ${text}`, { cause: error });
  }
  return code;
}
