// Compiles the package twice, as ES modules and as CommonJS, each with its own types.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const here = import.meta.dirname;
const dist = resolve(process.argv[2] ?? join(here, 'dist'));
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');

rmSync(dist, { recursive: true, force: true });
compile('esm');
compile('cjs', '--module', 'commonjs', '--moduleResolution', 'bundler', '--noCheck');
// The package is of ES modules, except here.
mkdirSync(join(dist, 'cjs'), { recursive: true });
writeFileSync(join(dist, 'cjs', 'package.json'), '{"type":"commonjs"}\n');

function compile(kind, ...flags) {
  const { status } = spawnSync(process.execPath, [tsc, '-p', here, '--outDir', join(dist, kind), ...flags], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
