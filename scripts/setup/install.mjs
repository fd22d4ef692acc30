import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SetupError } from './setup-error.mjs';

const OUTPUT_TAIL_LINES = 15;

/**
 * Installs the packages of package-lock.json unless they are there already. Says one line; npm's own words only when
 * it fails.
 */
export async function installIfStale(root) {
  const lockFile = join(root, 'package-lock.json');
  const modules = join(root, 'node_modules');
  const marker = join(modules, '.installed-lock');
  const wanted = createHash('sha256').update(readFileSync(lockFile)).digest('hex');
  if (isCurrent({ lockFile, modules, marker, wanted })) return;
  process.stdout.write('Installing packages (npm ci) ...\n');
  await npmCi(root);
  writeFileSync(marker, wanted);
}

function isCurrent({ lockFile, modules, marker, wanted }) {
  if (!existsSync(modules)) return false;
  // A linked folder belongs to somebody else, and `npm ci` would empty it.
  if (lstatSync(modules).isSymbolicLink()) return true;
  if (existsSync(marker)) return readFileSync(marker, 'utf8') === wanted;
  // npm writes this record last, so it is missing after an interrupted installation.
  const record = statSync(join(modules, '.package-lock.json'), { throwIfNoEntry: false });
  return record !== undefined && record.mtimeMs >= statSync(lockFile).mtimeMs;
}

function npmCi(root) {
  // The build needs the development packages, whatever NODE_ENV says.
  const args = ['ci', '--include=dev', '--no-progress', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const [command, line] =
    npm && /^npm(-cli)?\.c?js$/.test(basename(npm)) ? [process.execPath, [npm, ...args]] : ['npm', args];
  return new Promise((resolve, reject) => {
    const child = spawn(command, line, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: command === 'npm' && process.platform === 'win32',
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => {
        output = (output + chunk).slice(-20_000);
      });
    }
    child.once('error', (error) => reject(new SetupError(`npm cannot be run: ${error.message}`)));
    child.once('close', (code) => {
      const tail = output.trim().split('\n').slice(-OUTPUT_TAIL_LINES).join('\n');
      if (code === 0) resolve();
      else reject(new SetupError(`The packages could not be installed (npm ci ended with ${code}):\n${tail}`));
    });
  });
}
