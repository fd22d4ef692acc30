import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  type Dirent,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresBinaries } from './binaries.js';
import { closedFolder, type ServerUser } from './server-user.js';

const WRITABLE_BY_OTHERS = 0o022;
const READABLE_BY_OTHERS = 0o044;
const STICKY = 0o1000;
const TRY_TIMEOUT_MS = 10_000;

/**
 * The programs at a place where the server's user can run them. If the clone is in a folder that is closed to that
 * user, they are linked (copied, on another file system) once into a folder under the system's temporary folder, which
 * root owns and only root can write.
 *
 * @throws Error in one line when there is no such place
 */
export function reachableBinaries(binaries: PostgresBinaries, user: ServerUser | undefined): PostgresBinaries {
  if (user === undefined) return binaries;
  const closed = [binaries.postgres, binaries.initdb]
    .map((program) => closedFolder(program, user))
    .find((folder) => folder !== undefined);
  if (closed === undefined) return binaries;
  const name = `heliograph-postgres-${identityOf(binaries)}`;
  for (const parent of [...new Set([tmpdir(), '/var/tmp'])]) {
    const copy = placeCopy(binaries, parent, name, user);
    if (copy !== undefined) return copy;
  }
  throw new Error(
    `PostgreSQL cannot run as root, and the user that it runs as (${user.uid}) cannot enter ${closed}: open it (chmod o+x), ` +
      'clone to a folder that other users can enter, or set DATABASE_URL to a server',
  );
}

/** Undefined if programs may not run there, others could change them, or another user has taken the name. */
function placeCopy(
  binaries: PostgresBinaries,
  parent: string,
  name: string,
  user: ServerUser,
): PostgresBinaries | undefined {
  const root = join(parent, name);
  try {
    if (!isSafeParent(lstatSync(realpathSync(parent)))) return undefined;
    makeFolder(root);
    if (!isRootsOwn(lstatSync(root))) return undefined;
    linkFolder(binaries.root, root);
  } catch {
    return undefined;
  }
  const placed = binaries.postgres.slice(binaries.root.length);
  const copy = { root, postgres: join(root, placed), initdb: join(root, binaries.initdb.slice(binaries.root.length)) };
  const tried = spawnSync(copy.postgres, ['--version'], { ...user, cwd: '/', timeout: TRY_TIMEOUT_MS });
  return tried.status === 0 ? copy : undefined;
}

/** Keeps complete files, and replaces files that somebody has removed. */
function linkFolder(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      makeFolder(target);
      linkFolder(source, target);
    } else placeEntry(entry, source, target);
  }
}

function placeEntry(entry: Dirent, source: string, target: string): void {
  const there = lstatSync(target, { throwIfNoEntry: false });
  if (entry.isSymbolicLink()) {
    if (there === undefined) symlinkSync(readlinkSync(source), target);
    return;
  }
  const { size, mode } = lstatSync(source);
  if (there?.size === size) return;
  // Written under another name first, because another start may do the same at this moment.
  const work = `${target}.${process.pid}`;
  rmSync(work, { force: true });
  if ((mode & READABLE_BY_OTHERS) !== READABLE_BY_OTHERS || !hasLinked(source, work)) {
    copyFileSync(source, work);
    chmodSync(work, (mode & 0o100) === 0 ? 0o644 : 0o755);
  }
  renameSync(work, target);
}

function hasLinked(source: string, target: string): boolean {
  try {
    linkSync(source, target);
    return true;
  } catch {
    return false;
  }
}

/** With any umask, others can enter the folder and only root can write it. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o755 });
    chmodSync(folder, 0o755);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function isRootsOwn(stats: Stats): boolean {
  return stats.isDirectory() && stats.uid === 0 && (stats.mode & WRITABLE_BY_OTHERS) === 0;
}

/** If others can write the parent folder, only its sticky bit keeps them from replacing ours. */
function isSafeParent({ mode, uid }: Stats): boolean {
  return uid === 0 && ((mode & WRITABLE_BY_OTHERS) === 0 || (mode & STICKY) !== 0);
}

function identityOf({ postgres, root }: PostgresBinaries): string {
  const { size, mtimeMs } = lstatSync(postgres);
  return createHash('sha256')
    .update(`${realpathSync(root)}:${size}:${mtimeMs}`)
    .digest('hex')
    .slice(0, 12);
}
