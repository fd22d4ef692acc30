import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { buildConsole } from './build-console.mjs';
import { SetupError } from './setup-error.mjs';

const SOURCE_FOLDERS = ['apps', 'clients/typescript/src', 'libs', 'scripts', 'test', 'tools'];
/** The gateway serves it. */
const GUIDE_FOLDER = 'docs/guide';
/** Compiled by Vite, for browsers; they contain libs/billing. */
const CONSOLE_FOLDER = 'apps/console';

/** Compiles to `dist` what has changed, with the files that the code reads, and removes what has no source. */
export async function buildIfStale(root) {
  // Beside each other: the compiler keeps one core busy, and takes longer.
  const results = await Promise.allSettled([compileIfStale(root), buildConsoleIfStale(root)]);
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
}

async function compileIfStale(root) {
  const dist = join(root, 'dist');
  const stampFile = join(dist, '.build-stamp');
  const sources = [...SOURCE_FOLDERS, GUIDE_FOLDER]
    .flatMap((folder) => filesUnder(root, folder))
    .filter((file) => !isOfConsole(file) || file.endsWith('.ts'));
  const stamp = stampOf(root, [...sources, 'tsconfig.json', 'package-lock.json']);
  const compiled = sources.filter((file) => /(?<!\.d)\.ts$/.test(file)).map((file) => file.replace(/\.ts$/, '.js'));
  const copied = sources.filter((file) => /\.(sql|css|svg)$/.test(file) || file.startsWith(GUIDE_FOLDER));
  // Of the consoles, only what specs import is compiled here.
  const missing = () => compiled.filter((file) => !isOfConsole(file) && !existsSync(join(dist, file)));

  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp && missing().length === 0) return;
  process.stdout.write('Building ...\n');
  rmSync(stampFile, { force: true });
  removeStale(dist, new Set([...compiled, ...copied]));
  await compile(root);
  if (missing().length > 0) {
    // The compiler's own record says that these are written: somebody has removed them since.
    rmSync(join(dist, '.tsbuildinfo'), { force: true });
    await compile(root);
  }
  for (const file of copied) {
    mkdirSync(dirname(join(dist, file)), { recursive: true });
    copyFileSync(join(root, file), join(dist, file));
  }
  writeFileSync(stampFile, stamp);
}

async function buildConsoleIfStale(root) {
  const stampFile = join(root, 'dist', '.console-stamp');
  const sources = [CONSOLE_FOLDER, 'libs/billing'].flatMap((folder) => filesUnder(root, folder));
  const stamp = stampOf(root, [...sources, 'package-lock.json']);
  const isBuilt = existsSync(join(root, 'dist/console/owner/index.html'));
  if (isBuilt && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  process.stdout.write('Building the consoles ...\n');
  rmSync(stampFile, { force: true });
  await buildConsole(root);
  writeFileSync(stampFile, stamp);
}

function isOfConsole(file) {
  return file.startsWith(`${CONSOLE_FOLDER}/`);
}

/** Paths relative to the root, sorted. */
function filesUnder(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length + 1))
    .sort();
}

function stampOf(root, files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const { mtimeMs, size } = statSync(join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

/** A compiled spec whose source is gone would go on running. */
function removeStale(dist, wanted) {
  for (const folder of [...SOURCE_FOLDERS, GUIDE_FOLDER]) {
    for (const file of filesUnder(dist, folder)) {
      const output = file.replace(/\.js\.map$/, '.js');
      if (!wanted.has(output)) rmSync(join(dist, file));
    }
  }
}

function compile(root) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [tsc, '-p', root], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new SetupError('The build failed: the compiler says why above'));
    });
  });
}
