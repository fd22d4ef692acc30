import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PACKAGE = 'clients/typescript';

/** The project of a user, into which the package is installed as npm packs it. */
export class InstalledPackage {
  readonly folder = mkdtempSync(join(tmpdir(), 'heliograph-user-'));
  readonly path = join(this.folder, 'node_modules', '@heliograph', 'client');

  static async make(): Promise<InstalledPackage> {
    const project = new InstalledPackage();
    mkdirSync(project.path, { recursive: true });
    // Several specs do this at once: each builds in a folder of its own.
    const built = project.in('built');
    mkdirSync(built);
    for (const file of ['package.json', 'README.md', 'LICENSE']) copyFileSync(join(PACKAGE, file), join(built, file));
    await run(process.execPath, [join(PACKAGE, 'build.mjs'), join(built, 'dist')]);
    const options = ['--ignore-scripts', '--json', '--pack-destination', project.folder];
    const { stdout } = await run('npm', ['pack', built, ...options]);
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
    await run('tar', ['-xzf', join(project.folder, filename), '-C', project.path, '--strip-components', '1']);
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
    const tsc = resolve('node_modules/typescript/bin/tsc');
    await run(process.execPath, [tsc, '-p', this.folder]).catch((error: { stdout: string }) => {
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
