import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const CONSOLES = ['owner', 'operator'] as const;
export type ConsoleName = (typeof CONSOLES)[number];

const FOLDER = join(process.cwd(), 'dist/console');

export interface BuiltConsole {
  readonly page: string;
  readonly paths: Readonly<Record<string, string>>;
}

/** A console as the build has left it. */
export function builtConsole(name: ConsoleName): BuiltConsole {
  return {
    page: readFileSync(join(FOLDER, name, 'index.html'), 'utf8'),
    paths: JSON.parse(readFileSync(join(FOLDER, name, 'paths.json'), 'utf8')) as Record<string, string>,
  };
}

/** The files that the page loads before anything is shown. */
export function firstFiles(name: ConsoleName, type: 'js' | 'css'): string[] {
  const { page } = builtConsole(name);
  return [...page.matchAll(/(?:src|href)="\/(assets\/[\w.-]+)"/g)]
    .map(([, file = '']) => join(FOLDER, file))
    .filter((file) => file.endsWith(`.${type}`));
}
