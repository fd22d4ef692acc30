import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasSetpriv, type Launch } from '../process/setpriv.js';

/** The unprivileged user that PostgreSQL runs as when root starts it: the server refuses uid 0. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** Who is to run the server; undefined when this process is an ordinary user already. */
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
 * The command that runs a PostgreSQL program as that user.
 *
 * Root's folders are often closed to others (/root, mktemp -d). Then the program keeps one capability, to pass through
 * them: PostgreSQL checks its files with access(2), which heeds capabilities of an unprivileged user only under the
 * no_setuid_fixup secure bit (capabilities(7)).
 *
 * @param paths what the program must reach: its binaries and its data
 * @throws Error when that user cannot reach them and setpriv is not there to help
 */
export function asServerUser(launch: Launch, user: ServerUser | undefined, paths: readonly string[]): Launch {
  if (user === undefined) return launch;
  const closed = paths.map((path) => closedFolder(path, user)).find((folder) => folder !== undefined);
  if (closed === undefined) return { ...launch, ...user };
  if (!hasSetpriv()) {
    throw new Error(
      `PostgreSQL cannot run as root, and user ${user.uid} cannot enter ${closed}: ` +
        'open that folder (chmod o+x), or clone elsewhere and set DATA_DIR to a folder that other users can enter',
    );
  }
  const rights = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup'];
  const identity = ['--reuid', `${user.uid}`, '--regid', `${user.gid}`, '--clear-groups'];
  return { command: 'setpriv', args: [...identity, ...rights, launch.command, ...launch.args] };
}

/** The first folder on the way to a path that the user may not enter. */
function closedFolder(path: string, user: ServerUser): string | undefined {
  for (let folder = realpathSync(path); ; folder = dirname(folder)) {
    const { mode, uid, gid } = statSync(folder);
    const enter = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & enter) === 0) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}
