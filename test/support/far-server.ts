import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const PROGRAM = `
  const server = require('node:http').createServer((request, response) => response.end('{}'));
  server.listen({ port: 0, host: process.argv[1], backlog: 1 }, () => console.log(server.address().port));
`;
/** Linux keeps one connection more than the backlog, and then leaves requests for a connection unanswered. */
const WAITING = 3;
/** Linux asks for a connection again a second after the first time. */
const NEARER_AFTER_MS = 500;

/** An HTTP server that a connection reaches only after a second, as over a long way or one that loses packets. */
export class FarServer {
  private constructor(
    readonly port: number,
    private readonly process: ChildProcess,
    private readonly waiting: readonly Socket[],
  ) {}

  static async start(host: string): Promise<FarServer> {
    const server = spawn(process.execPath, ['-e', PROGRAM, host], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(server.stdout, 'data');
    const port = Number(line);
    server.kill('SIGSTOP');
    const waiting = Array.from({ length: WAITING }, () => connect(port, host).on('error', () => undefined));
    await delay(100);
    return new FarServer(port, server, waiting);
  }

  /** Now it answers those who ask. */
  async comeNearer(): Promise<void> {
    await delay(NEARER_AFTER_MS);
    for (const socket of this.waiting) socket.destroy();
    this.process.kill('SIGCONT');
  }

  async close(): Promise<void> {
    const isOver = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await isOver;
  }
}
