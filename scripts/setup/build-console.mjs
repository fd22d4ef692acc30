import { spawn } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { SetupError } from './setup-error.mjs';

const CONSOLES = ['owner', 'operator'];
/** A smaller file is sent as quickly as it is. */
const COMPRESSED_FROM_BYTES = 1_024;

/** Compiles the consoles to `dist/console`: the pages, their paths for the gateway, compressed scripts and styles. */
export async function buildConsole(root) {
  await bundle(root);
  for (const name of CONSOLES) {
    copyFileSync(join(root, 'apps/console', name, 'paths.json'), join(root, 'dist/console', name, 'paths.json'));
  }
  const assets = join(root, 'dist/console/assets');
  await Promise.all(readdirSync(assets).map((name) => compress(join(assets, name))));
}

async function compress(file) {
  const bytes = readFileSync(file);
  if (bytes.length < COMPRESSED_FROM_BYTES) return;
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(bytes, quality));
  writeFileSync(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}

function bundle(root) {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const args = [vite, 'build', join(root, 'apps/console'), '--logLevel', 'warn'];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      // What the bundle holds does not depend on what this process was started for.
      env: { ...process.env, NODE_ENV: 'production' },
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new SetupError('The consoles could not be built: Vite says why above'));
    });
  });
}
