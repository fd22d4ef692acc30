import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { SHORT_LIVED_NODE_FLAGS } from '../../scripts/process/short-lived-node-flags.js';
import { eventually } from '../support/eventually.js';

const run = promisify(execFile);
const PACKAGE = 'clients/typescript';
/** For another spec to pack the package; a busy machine compiles slowly. */
const PACK_TIMEOUT_MS = 240_000;

/** The project of a user, into which the package is installed as npm packs it. */
export class InstalledPackage {
  readonly folder = mkdtempSync(join(tmpdir(), 'heliograph-user-'));
  readonly path = join(this.folder, 'node_modules', '@heliograph', 'client');

  static async make(): Promise<InstalledPackage> {
    const project = new InstalledPackage();
    mkdirSync(project.path, { recursive: true });
    await run('tar', ['-xzf', await packed(), '-C', project.path, '--strip-components', '1']);
    for (const name of ['@types', 'fastify'])
      symlinkSync(resolve('node_modules', name), project.in(`node_modules/${name}`));
    writeFileSync(project.in('package.json'), '{"name":"shop","type":"module"}');
    return project;
  }

  in(file: string): string {
    return join(this.folder, file);
  }

  /**
   * Compiles files of the project beside themselves.
   *
   * @throws Error with what the compiler says
   */
  async compile(files: Readonly<Record<string, string>>, options: Readonly<Record<string, unknown>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) writeFileSync(this.in(name), text);
    const compilerOptions = {
      target: 'es2022',
      lib: ['es2022'],
      types: ['node'],
      module: 'nodenext',
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      ...options,
    };
    writeFileSync(this.in('tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }));
    const tsc = [...SHORT_LIVED_NODE_FLAGS, resolve('node_modules/typescript/bin/tsc')];
    await run(process.execPath, [...tsc, '-p', this.folder]).catch((error: { stdout: string }) => {
      throw new Error(error.stdout);
    });
  }

  /**
   * Runs a program in the project; it has to end in order.
   *
   * @param node the path of a Node
   */
  run(node: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const { NODE_OPTIONS: _forJest, ...others } = process.env;
    return run(node, args, { cwd: this.folder, env: { ...others, ...environment } });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * The package as npm packs it; the path of the file. Several specs need it at once, and to compile it takes seconds:
 * the first one packs it, the others wait for that. If it cannot be packed, each of them tries, and so each says why.
 */
async function packed(): Promise<string> {
  const folder = join(process.env.TEST_RUN_FOLDER ?? '', 'client');
  const file = join(folder, 'client.tgz');
  const next = await eventually(() => (isNew(folder) ? 'pack' : existsSync(file) && 'take'), {
    timeoutMs: PACK_TIMEOUT_MS,
  });
  if (next === 'take') return file;
  try {
    renameSync(await pack(folder), file);
    return file;
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
}

/** Makes a folder; false if it is there already. */
function isNew(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Compiles and packs the package in a folder; the path of the packed file. */
async function pack(folder: string): Promise<string> {
  const built = join(folder, 'built');
  mkdirSync(built);
  for (const file of ['package.json', 'README.md', 'LICENSE']) copyFileSync(join(PACKAGE, file), join(built, file));
  await run(process.execPath, [join(PACKAGE, 'build.mjs'), join(built, 'dist')]);
  const { stdout } = await run('npm', ['pack', built, '--ignore-scripts', '--json', '--pack-destination', folder]);
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return join(folder, filename);
}
