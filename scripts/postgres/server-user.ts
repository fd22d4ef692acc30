import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Launch } from '../process/setpriv.js';

/** The unprivileged user that PostgreSQL runs as when root starts it: the server refuses uid 0. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** The working folder of a process, by a link of the kernel that needs no rights on the folders above it (proc(5)). */
const WORKING_FOLDER = '/proc/self/cwd';

/** The user that runs the server; undefined if this process is an ordinary user already. */
export function chooseServerUser(clusterDir: string): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const existing = statSync(join(clusterDir, 'PG_VERSION'), { throwIfNoEntry: false });
  if (existing !== undefined && existing.uid !== 0) return { uid: existing.uid, gid: existing.gid };
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const entry = users.find((fields) => fields[0] === name);
    if (entry !== undefined) return { uid: Number(entry[2]), gid: Number(entry[3]) };
  }
  return { uid: 65_534, gid: 65_534 };
}

/**
 * The command as run by that user. Node changes into the working folder while it is still root, and then gives up all
 * rights.
 */
export function asServerUser(launch: Launch, user: ServerUser | undefined): Launch {
  return user === undefined ? launch : { ...launch, ...user };
}

/** The environment of the server: none of the service's settings, which hold passwords. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, TZ, TMPDIR, LD_LIBRARY_PATH, SystemRoot } = process.env;
  return { PATH, TZ, TMPDIR, LD_LIBRARY_PATH, SystemRoot, LC_ALL: 'C' };
}

/**
 * The data folder for the server's command line. Root's folders are often closed to others (/root, mktemp -d); then it
 * is the working folder, which root has entered for the server. PostgreSQL works with paths relative to that folder.
 *
 * @throws Error in one line when that user cannot reach the folder in either way
 */
export function dataFolderFor(user: ServerUser | undefined, folder: string): string {
  if (user === undefined) return folder;
  if (existsSync(WORKING_FOLDER)) return WORKING_FOLDER;
  const closed = closedFolder(folder, user);
  if (closed === undefined) return folder;
  throw new Error(
    `${folder} cannot be reached by the user that PostgreSQL runs as (${user.uid}): open ${closed} to it (chmod o+x), ` +
      'or set DATA_DIR to a folder that other users can enter',
  );
}

/** The first file or folder on the way to a path that the user may not enter or execute. */
export function closedFolder(path: string, user: ServerUser): string | undefined {
  for (let folder = realpathSync(path); ; folder = dirname(folder)) {
    const { mode, uid, gid } = statSync(folder);
    const enter = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & enter) === 0) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}
