import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** One import as it stands in a source file, with the module that it reaches. */
export interface Import {
  /** Path from the root, e.g. `libs/queue/index.ts`. */
  readonly file: string;
  readonly specifier: string;
  /** The source file behind a relative or `#name` import. */
  readonly target: string | undefined;
}

const SPECIFIER =
  /(?:^|[\s;])(?:import|export)\s[^'";]*?from\s+'([^']+)'|(?:^|[\s;])import\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g;

/** Every TypeScript source under these folders, as paths from the root. */
export function sourcesOf(root: string, folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(tsx?|mjs)$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  );
}

/** The imports of a file, type-only ones included: they are dependencies of thought all the same. */
export function importsOf(root: string, file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  return [...text.matchAll(SPECIFIER)].map((match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? '';
    return { file, specifier, target: targetOf(root, file, specifier) };
  });
}

/** The doors of the libs by the names that package.json gives them: `#billing` is `libs/billing/index.ts`. */
export function doorsOf(root: string): Record<string, string> {
  const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    imports: Record<string, string>;
  };
  return Object.fromEntries(
    Object.entries(imports).map(([name, file]) => [name, file.replace('./dist/', '').replace(/\.js$/, '.ts')]),
  );
}

function targetOf(root: string, file: string, specifier: string): string | undefined {
  if (specifier.startsWith('#')) return doorsOf(root)[specifier];
  if (!specifier.startsWith('.')) return undefined;
  const target = relative(root, resolve(root, dirname(file), specifier)).replace(/\.js$/, '.ts');
  return existsSync(join(root, `${target}x`)) ? `${target}x` : target;
}

/** The folder that a rule speaks of: `libs/billing`, `apps/gateway`, `scripts`, `test`. */
export function unitOf(path: string): string {
  const [top = '', second = ''] = path.split('/');
  return top === 'apps' || top === 'libs' ? `${top}/${second}` : top;
}

/** The first circle among the files, as the way around it; undefined when there is none. */
export function findCycle(imports: readonly Import[]): string[] | undefined {
  const next = new Map<string, string[]>();
  for (const { file, target } of imports) {
    if (target !== undefined) next.set(file, [...(next.get(file) ?? []), target]);
  }
  const done = new Set<string>();
  const visit = (file: string, way: string[]): string[] | undefined => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const target of next.get(file) ?? []) {
      const circle = visit(target, [...way, file]);
      if (circle !== undefined) return circle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of next.keys()) {
    const circle = visit(file, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}
