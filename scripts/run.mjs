// What the tasks of package.json call (`npm start`, `npm test`, `npm run bench` and so on). On a fresh clone it does
// the set-up first, so it is plain JavaScript that imports nothing but Node.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildIfStale } from './setup/build.mjs';
import { installIfStale } from './setup/install.mjs';
import { withSetupLock } from './setup/lock.mjs';
import { SetupError } from './setup/setup-error.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');
const NODE_MIN = [20, 19];
const TARGETS = {
  start: 'dist/scripts/supervisor/main.js',
  test: 'dist/scripts/test/main.js',
  screenshots: 'dist/scripts/test/screenshots.js',
  bench: 'dist/tools/bench/main.js',
  'bench:fill': 'dist/tools/bench/fill/main.js',
  faults: 'dist/tools/faults/main.js',
  hostile: 'dist/tools/hostile/main.js',
  interop: 'dist/tools/interop/main.js',
  schema: 'dist/scripts/database/write-schema.js',
  'client:types': 'dist/tools/client-types/main.js',
  build: undefined,
};

try {
  const [task = '', ...rest] = process.argv.slice(2);
  if (!(task in TARGETS))
    throw new SetupError(`usage: node scripts/run.mjs ${Object.keys(TARGETS).join('|')} [arguments]`);
  checkNodeVersion();
  process.chdir(ROOT);
  await withSetupLock(ROOT, async () => {
    await installIfStale(ROOT);
    await buildIfStale(ROOT);
  });
  const target = TARGETS[task];
  if (target !== undefined) {
    const file = join(ROOT, target);
    process.argv = [process.argv[0], file, ...rest];
    await import(pathToFileURL(file).href);
  }
} catch (error) {
  process.stderr.write(`${error?.stack && !error.expected ? error.stack : error.message}\n`);
  process.exitCode = 1;
}

function checkNodeVersion() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  throw new SetupError(`Node ${NODE_MIN.join('.')} or newer is needed; this is ${process.versions.node}`);
}
