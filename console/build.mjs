// Builds the page: one HTML file without any reference to another, in dist/console. The policy in
// its head allows exactly this script and this style, by their hashes, and requests to the server
// that the page came from.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const output = fileURLToPath(new URL('../dist/console/', import.meta.url));

const script = await bundled('main.ts', { format: 'iife', target: 'es2022' });
const style = await bundled('style.css', {});
if (/<\/script|<!--/i.test(script)) throw new Error('the script would end its own element early');

const policy = [
  "default-src 'none'",
  `script-src '${hashOf(script)}'`,
  `style-src '${hashOf(style)}'`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
const parts = {
  policy: `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
  style: `<style>${style}</style>`,
  script: `<script>${script}</script>`,
};
const template = readFileSync(`${here}page.html`, 'utf8');
const page = template.replace(/<!--(policy|style|script)-->/g, (_, name) => parts[name]);
mkdirSync(output, { recursive: true });
writeFileSync(`${output}page.html`, page);

/** Minified text of an entry with all it imports. */
async function bundled(entry, options) {
  const { outputFiles } = await build({
    entryPoints: [`${here}${entry}`],
    bundle: true,
    minify: true,
    write: false,
    legalComments: 'none',
    charset: 'utf8',
    plugins: [leaveOut(/^(d3-geo|d3-scale-chromatic)$/)],
    ...options,
  });
  return outputFiles[0].text.trim();
}

/**
 * Packages whose functions give nothing: Plot's maps and colour schemes, which the page never draws
 * with, a seventeenth of it.
 */
function leaveOut(names) {
  const setup = (esbuild) => {
    esbuild.onResolve({ filter: names }, ({ path }) => ({ path, namespace: 'left-out' }));
    esbuild.onLoad({ filter: /./, namespace: 'left-out' }, async ({ path }) => {
      const exported = Object.entries(await import(path)).map(([name, value]) =>
        Array.isArray(value) ? `export const ${name} = [];` : `export { leftOut as ${name} };`,
      );
      const leftOut = 'function leftOut() {}';
      return { contents: [leftOut, ...exported].join('\n') };
    });
  };
  return { name: 'leave-out', setup };
}

function hashOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
