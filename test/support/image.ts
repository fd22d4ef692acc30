import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What the Dockerfile makes, in a folder of this machine. */
export interface AssembledImage {
  /** `/app` of the last stage. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly healthCheck: readonly string[];
  readonly command: readonly string[];
}

/** This checkout has been built and has its modules: these steps of a build are not carried out again. */
const DONE_HERE = ['npm ci --include=dev', 'npm run build'];
/** To remove what is not for production from links to our modules leaves the same, for a fraction of the work. */
const INSTALL = /^npm ci (?=--omit=dev )/;

/**
 * Carries out the steps of our Dockerfile without a container engine: each stage is a folder, `COPY . .` copies what
 * git has and `dist`, and `RUN` runs in the folder of its stage. It leaves out what the last stage runs, because that
 * changes the machine.
 *
 * @throws Error for an instruction that it does not know, or a command of an earlier stage with an absolute path
 */
export function assembleImage(dir: string): AssembledImage {
  const image = { folder: '', environment: {} as Record<string, string>, healthCheck: [''], command: [''] };
  const text = readFileSync('Dockerfile', 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '');
  const lastStage = text.lastIndexOf('\nFROM');
  for (const { 0: line, index } of text.matchAll(/^.+$/gm)) {
    const [instruction = '', ...words] = line.split(' ');
    const rest = words.join(' ');
    if (instruction === 'FROM') {
      image.folder = join(dir, words[2] ?? 'image');
      mkdirSync(image.folder, { recursive: true });
    } else if (instruction === 'COPY') copy(dir, image.folder, words);
    else if (instruction === 'RUN') index < lastStage && run(image.folder, rest);
    else if (instruction === 'ENV') {
      for (const [, name = '', value = ''] of rest.matchAll(/([A-Z_]+)=(\S+)/g)) image.environment[name] = value;
    } else if (instruction === 'HEALTHCHECK') image.healthCheck = JSON.parse(rest.slice(rest.indexOf('[')));
    else if (instruction === 'CMD') image.command = JSON.parse(rest);
    else if (!['WORKDIR', 'USER', 'EXPOSE'].includes(instruction)) throw new Error(`what is ${instruction}?`);
  }
  return image;
}

function copy(dir: string, folder: string, words: readonly string[]): void {
  const stage = /^--from=(\w+)$/.exec(words[0] ?? '')?.[1];
  const sources = words.slice(stage === undefined ? 0 : 1, -1);
  const target = words.at(-1) ?? '';
  if (stage === undefined && sources[0] === '.') {
    const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n');
    for (const file of files.filter((name) => existsSync(name) && name !== '')) take(file, join(folder, file));
    take('dist', join(folder, 'dist'));
    return;
  }
  for (const source of sources) {
    const to = join(folder, target.endsWith('/') ? join(target, basename(source)) : target);
    if (stage === undefined) take(source, to);
    else move(join(dir, stage, source.replace(/^\/app\//, '')), to);
  }
}

function take(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
}

/** Out of a stage: no step copies anything twice, and the modules are large. */
function move(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  renameSync(from, to);
}

function run(folder: string, command: string): void {
  if (DONE_HERE.includes(command)) return;
  if (/(^|\s)\//.test(command)) throw new Error(`this command leaves its folder: ${command}`);
  if (INSTALL.test(command)) {
    linkModules(folder);
    run(folder, command.replace(INSTALL, 'npm prune '));
    // It leaves the folders of scopes.
    run(folder, 'find node_modules -type d -empty -delete');
    return;
  }
  const environment = { ...process.env, npm_config_prefer_offline: 'true', NODE_OPTIONS: '' };
  execFileSync('sh', ['-ec', command], { cwd: folder, env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
}

/** All modules that we have. Where another file system has the folder, they are copied. */
function linkModules(folder: string): void {
  const modules = join(folder, 'node_modules');
  const { status } = spawnSync('cp', ['-al', 'node_modules', modules], { stdio: 'ignore' });
  if (status !== 0) cpSync('node_modules', modules, { recursive: true, verbatimSymlinks: true });
  // npm writes it anew, in place.
  rmSync(join(modules, '.package-lock.json'), { force: true });
}
