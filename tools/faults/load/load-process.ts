import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadCounts, LoadInstruction, LoadJob, LoadNews } from './job.js';

const PROGRAM = fileURLToPath(new URL('./main.js', import.meta.url));
const STOP_TIMEOUT_MS = 2_000;
const SLACK_MS = 30_000;

/** The load's process, as the harness sees it. */
export class LoadProcess {
  private readonly child: ChildProcess;

  constructor() {
    this.child = fork(PROGRAM, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  /** Resolves when the first send is accepted. */
  async start(job: LoadJob, timeoutMs: number): Promise<void> {
    this.tell({ type: 'start', job });
    await this.news('flowing', timeoutMs);
  }

  async finish(resolveMs: number): Promise<LoadCounts> {
    this.tell({ type: 'finish', resolveMs });
    return (await this.news('finished', resolveMs + SLACK_MS)).counts;
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit', { signal: AbortSignal.timeout(STOP_TIMEOUT_MS) });
    if (this.child.connected) this.child.disconnect();
    await ended.catch(() => this.child.kill('SIGKILL'));
  }

  private tell(instruction: LoadInstruction): void {
    this.child.send(instruction);
  }

  private news<Type extends LoadNews['type']>(type: Type, timeoutMs: number) {
    return new Promise<Extract<LoadNews, { type: Type }>>((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        this.child.off('message', onMessage);
        this.child.off('exit', onExit);
        finish();
      };
      const onMessage = (news: LoadNews) => {
        if (news.type === 'failed') settle(() => reject(new Error(`the load failed: ${news.reason}`)));
        else if (news.type === type) settle(() => resolve(news as Extract<LoadNews, { type: Type }>));
      };
      const onExit = () => settle(() => reject(new Error('the load process has ended')));
      const timer = setTimeout(
        () => settle(() => reject(new Error(`the load: no ${type} within ${timeoutMs} ms`))),
        timeoutMs,
      );
      this.child.on('message', onMessage);
      this.child.on('exit', onExit);
    });
  }
}
