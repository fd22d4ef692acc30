import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { PostgresBinaries } from './binaries.js';
import { asServerUser, dataFolderFor, type ServerUser, serverEnvironment } from './server-user.js';

export const SUPERUSER = 'heliograph';
const INITDB_TIMEOUT_MS = 120_000;

/**
 * Makes a database cluster in `dataDir/cluster` unless there is one. It is made under another name and then renamed, so
 * that an interrupted first start does not disturb the next one.
 *
 * @returns the password of the superuser, which `dataDir/password` keeps for its owner only
 * @throws Error in one line when there is a part of a cluster, or a cluster without its password
 */
export async function initialiseCluster(
  dataDir: string,
  binaries: PostgresBinaries,
  user: ServerUser | undefined,
  fsync: boolean,
): Promise<string> {
  const cluster = join(dataDir, 'cluster');
  const passwordFile = join(dataDir, 'password');
  if (existsSync(join(cluster, 'PG_VERSION'))) return keptPassword(passwordFile);
  // Another password in its file would close the cluster when its other files come.
  if (existsSync(cluster) && readdirSync(cluster).length > 0)
    throw new Error(`${cluster} is not complete: it has no PG_VERSION. Copy all of it again, or move it away`);

  const work = join(dataDir, 'initialising');
  rmSync(work, { recursive: true, force: true });
  const made = join(work, 'cluster');
  for (const folder of [work, made]) mkdirSync(folder, { mode: 0o700 });
  const password = randomBytes(18).toString('base64url');
  const handover = join(work, 'password');
  writeFileSync(handover, password, { mode: 0o600 });
  for (const path of user === undefined ? [] : [work, made, handover]) chownSync(path, user?.uid ?? 0, user?.gid ?? 0);

  // The password's path is relative to the working folder, because the folders above may be closed to initdb.
  const args = ['-D', dataFolderFor(user, made), '-U', SUPERUSER, '--auth=scram-sha-256', '--pwfile=../password'];
  args.push('--encoding=UTF8', '--locale=C.UTF-8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8');
  if (!fsync) args.push('--no-sync');
  await run(asServerUser({ command: binaries.initdb, args }, user), made);

  // On the disk before the cluster has its name: after a power cut, nobody could open it without its password.
  writeFileSync(passwordFile, password, { mode: 0o600, flush: true });
  renameSync(made, cluster);
  rmSync(work, { recursive: true, force: true });
  return password;
}

function keptPassword(file: string): string {
  const password = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (password !== '') return password;
  throw new Error(`${file} is missing or empty: it held the password of the bundled PostgreSQL. Copy it from a backup`);
}

/** Runs initdb and turns its failure into one line. */
function run(launch: ReturnType<typeof asServerUser>, cwd: string): Promise<void> {
  const { command, args, ...identity } = launch;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...identity,
      cwd,
      env: serverEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: INITDB_TIMEOUT_MS,
    });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      complaint = (complaint + chunk).slice(-4_000);
    });
    child.once('error', (error) => reject(new Error(`PostgreSQL could not be initialised: ${error.message}`)));
    child.once('close', (code) => {
      const reason =
        complaint
          .trim()
          .split('\n')
          .find((line) => /FATAL|error/.test(line)) ?? complaint.trim();
      if (code === 0) resolve();
      else reject(new Error(`PostgreSQL could not be initialised in ${cwd}: ${reason || `exit code ${code}`}`));
    });
  });
}
