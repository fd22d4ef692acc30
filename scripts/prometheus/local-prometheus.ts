import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../process/free-port.js';
import { dieWithParent } from '../process/setpriv.js';
import { stopOf } from '../process/stop-child.js';

const READY_TIMEOUT_MS = 30_000;

export interface LocalPrometheus {
  readonly url: string;
  stop(): Promise<void>;
}

/** The version of the Prometheus on the PATH, if promtool is beside it; undefined otherwise. */
export function findPrometheus(): string | undefined {
  const [server, tool] = ['prometheus', 'promtool'].map((name) => spawnSync(name, ['--version'], { encoding: 'utf8' }));
  if (server?.status !== 0 || tool?.status !== 0) return undefined;
  return /version (\S+?)[+,]/.exec(`${server.stdout}${server.stderr}`)?.[1] ?? 'of an unknown version';
}

/**
 * Runs a Prometheus of its own on the loopback.
 *
 * @param dir where it may write
 * @param config as in prometheus.yml
 * @throws Error when it is not ready within 30 s
 */
export async function startPrometheus(dir: string, config: string): Promise<LocalPrometheus> {
  const port = await freePort();
  const file = join(dir, 'prometheus.yml');
  mkdirSync(join(dir, 'data'), { recursive: true });
  writeFileSync(file, config);
  const settings = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(dir, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=error',
  ];
  const { command, args } = dieWithParent({ command: 'prometheus', args: settings }, 'TERM');
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  const stop = stopOf(child);
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!(await isReady(url))) {
    if (Date.now() > deadline || child.exitCode !== null) {
      await stop();
      throw new Error('prometheus did not start');
    }
    await new Promise((wake) => setTimeout(wake, 100));
  }
  return { url, stop };
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/-/ready`).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.status === 200;
}
