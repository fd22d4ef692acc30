import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Answer, Instruction, LoadJob, LoadResult, SubmitJob } from './job.js';
import { WAIT_FOR_ANSWERS_MS } from './load-run.js';

const PROGRAM = fileURLToPath(new URL('./main.js', import.meta.url));
/** Over what a job takes by itself: connecting, sorting, the last responses. */
const SLACK_MS = 30_000;
const STOP_TIMEOUT_MS = 2_000;

/** The load generator's process, as the bench sees it. One job at a time. */
export class LoadGenerator {
  private readonly child: ChildProcess;

  constructor() {
    this.child = fork(PROGRAM, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Runs a closed job to its end. */
  async run(job: LoadJob): Promise<LoadResult> {
    const answer = this.answerWithin(job.warmupMs + job.windowMs + 2 * WAIT_FOR_ANSWERS_MS + SLACK_MS);
    this.tell({ type: 'run', job });
    return answer;
  }

  /** Runs a load of submit_sm to its end. */
  async submit(job: SubmitJob): Promise<LoadResult> {
    const answer = this.answerWithin(job.warmupMs + job.windowMs + SLACK_MS);
    this.tell({ type: 'submit', job });
    return answer;
  }

  /** Starts a fed job; it sends nothing before the first grant. */
  startFed(job: Omit<LoadJob, 'mode' | 'warmupMs' | 'windowMs'>): void {
    this.tell({ type: 'run', job: { ...job, mode: 'fed', warmupMs: 0, windowMs: 0 } });
  }

  grant(requests: number): void {
    if (requests > 0) this.tell({ type: 'grant', requests });
  }

  async stopFed(): Promise<LoadResult> {
    const answer = this.answerWithin(SLACK_MS);
    this.tell({ type: 'stop' });
    return answer;
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit', { signal: AbortSignal.timeout(STOP_TIMEOUT_MS) });
    if (this.child.connected) this.child.disconnect();
    await ended.catch(() => this.child.kill('SIGKILL'));
  }

  private tell(instruction: Instruction): void {
    this.child.send(instruction);
  }

  private answerWithin(timeoutMs: number): Promise<LoadResult> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        this.child.off('message', onMessage);
        this.child.off('exit', onExit);
        finish();
      };
      const onMessage = (answer: Answer) =>
        settle(() => (answer.type === 'done' ? resolve(answer.result) : reject(new Error(answer.reason))));
      const onExit = () => settle(() => reject(new Error('the load generator has ended')));
      const timer = setTimeout(
        () => settle(() => reject(new Error(`the load generator did not answer within ${timeoutMs} ms`))),
        timeoutMs,
      );
      this.child.on('message', onMessage);
      this.child.on('exit', onExit);
    });
  }
}
