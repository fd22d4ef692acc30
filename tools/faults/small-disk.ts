import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../harness/run-command.js';

const BLOCK = Buffer.alloc(64 * 1024);
/** Mounts a small one and removes it: root in a container may not. */
const PROBE = `folder=$(mktemp -d) || exit
  mount -t tmpfs -o size=1m heliograph-probe "$folder" && umount "$folder"
  code=$?
  rmdir "$folder"
  exit $code`;

/** A file system in memory of a fixed size, so that it can be full without any other disk being so. Linux, root. */
export class SmallDisk {
  private constructor(private readonly folder: string) {}

  /** Why this machine has none, in a few words. */
  static missing(): string | undefined {
    const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
    const isAllowed = isRoot && spawnSync('sh', ['-c', PROBE]).status === 0;
    return isAllowed ? undefined : 'root on Linux that may mount a tmpfs';
  }

  static async mount(folder: string, megabytes: number): Promise<SmallDisk> {
    mkdirSync(folder);
    await runCommand('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0711`, 'heliograph-faults', folder);
    return new SmallDisk(folder);
  }

  /** Writes until nothing fits any more. */
  fill(): void {
    const file = openSync(this.ballast, 'a', 0o600);
    try {
      for (;;) writeSync(file, BLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(this.ballast, { force: true });
  }

  unmount(): Promise<void> {
    return runCommand('umount', this.folder);
  }

  private get ballast(): string {
    return join(this.folder, 'ballast');
  }
}
