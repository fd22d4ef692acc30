import { spawnSync } from 'node:child_process';

/** A command line, and the user that Node switches to if the command does not do so itself. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

let available: boolean | undefined;

/** Whether util-linux's setpriv(1) is installed and knows the options used below (2.33 and later). */
function hasSetpriv(): boolean {
  available ??=
    spawnSync('setpriv', ['--no-new-privs', '--pdeathsig', 'TERM', process.execPath, '--version']).status === 0;
  return available;
}

/**
 * Makes the kernel signal a process when its parent ends in any way, also by kill -9 (prctl(2), PR_SET_PDEATHSIG). A
 * change of user clears that, so this must be the innermost wrapper. Programs that the process runs gain no rights
 * either. Without setpriv the launch stays as it is; the next start then finds a process that outlived its parent.
 */
export function dieWithParent(launch: Launch, signal: 'INT' | 'TERM'): Launch {
  if (!hasSetpriv()) return launch;
  return {
    ...launch,
    command: 'setpriv',
    args: ['--no-new-privs', '--pdeathsig', signal, launch.command, ...launch.args],
  };
}
