import { spawnSync } from 'node:child_process';

/** A command line, and the user that Node is to switch to when the command does not do so itself. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

let available: boolean | undefined;

/** Whether util-linux's setpriv(1) is here and knows the options used below (2.33 and later). */
export function hasSetpriv(): boolean {
  available ??=
    spawnSync('setpriv', ['--no-new-privs', '--pdeathsig', 'TERM', process.execPath, '--version']).status === 0;
  return available;
}

/**
 * Makes the kernel signal a process when its parent ends in any way, kill -9 included (prctl(2), PR_SET_PDEATHSIG).
 * A change of user clears that, so it has to be the innermost wrapping. No program that the process runs gains rights either. Without setpriv the launch stays as it is;
 * what outlives its parent is then found by the next start.
 */
export function dieWithParent(launch: Launch, signal: 'INT' | 'TERM'): Launch {
  if (!hasSetpriv()) return launch;
  return {
    ...launch,
    command: 'setpriv',
    args: ['--no-new-privs', '--pdeathsig', signal, launch.command, ...launch.args],
  };
}
