import { spawnSync } from 'node:child_process';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

export interface FoundChromium {
  readonly program: string;
  readonly version: string;
}

/** The browser on the PATH, or undefined. */
export function findChromium(): FoundChromium | undefined {
  for (const name of NAMES) {
    const { status, stdout } = spawnSync('which', [name], { encoding: 'utf8' });
    if (status !== 0) continue;
    const program = stdout.trim();
    const version = /[\d.]{5,}/.exec(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[0];
    if (version !== undefined) return { program, version };
  }
  return undefined;
}
