// Compiles the package to `dist`, or to the folder that is given: ES modules and CommonJS, each with its own types.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const here = import.meta.dirname;
const dist = resolve(process.argv[2] ?? join(here, 'dist'));
const [esm, cjs] = [join(dist, 'esm'), join(dist, 'cjs')];

rmSync(dist, { recursive: true, force: true });
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', here, '--outDir', esm], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

mkdirSync(cjs);
// The package is of ES modules, except here.
writeFileSync(join(cjs, 'package.json'), '{"type":"commonjs"}\n');
for (const file of readdirSync(esm)) {
  // The types of both are the same, but each kind needs files of its own.
  if (file.endsWith('.d.ts')) copyFileSync(join(esm, file), join(cjs, file));
  else writeFileSync(join(cjs, file), asCommonJs(readFileSync(join(esm, file), 'utf8')));
}

function asCommonJs(text) {
  return ts.transpileModule(text, { compilerOptions: { target: 'es2022', module: 'commonjs' } }).outputText;
}
