// The second tenant, a process of its own: tenant.js PORT KEY SECONDS; prints its latencies by kind and what was not 2xx.
import { Agent, request } from 'node:http';

const PAUSE_MS = 15;
const [, , port = '0', apiKey = '', seconds = '0'] = process.argv;
const agent = new Agent({ keepAlive: true, maxSockets: 4 });
const SEND = JSON.stringify({ recipient: '+46700100200', message: 'hello' });
const KINDS = [
  { name: 'balance', method: 'GET', path: '/v1/account/balance', body: undefined },
  { name: 'send', method: 'POST', path: '/v1/message/send', body: SEND },
  { name: 'list', method: 'GET', path: '/v1/account/messages', body: undefined },
] as const;

const latenciesMs: Record<string, number[]> = { balance: [], send: [], list: [] };
const failures: Record<string, number> = {};

function ask({ name, method, path, body }: (typeof KINDS)[number]): Promise<void> {
  const startMs = performance.now();
  return new Promise((resolve) => {
    const fail = (what: string) => {
      failures[`${name} ${what}`] = (failures[`${name} ${what}`] ?? 0) + 1;
      resolve();
    };
    const headers = { 'X-Authorization': apiKey, 'Content-Type': 'application/json' };
    const sent = request(
      { host: '127.0.0.1', port: Number(port), method, path, headers, agent, timeout: 20_000 },
      (answer) => {
        answer.resume();
        answer.on('end', () => {
          latenciesMs[name]?.push(performance.now() - startMs);
          if ((answer.statusCode ?? 0) < 300) resolve();
          else fail(String(answer.statusCode));
        });
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('timeout')));
    sent.on('error', ({ message }) => fail(message));
    sent.end(body);
  });
}

const endMs = performance.now() + Number(seconds) * 1_000;
while (performance.now() < endMs) {
  for (const kind of KINDS) {
    await ask(kind);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
process.stdout.write(`${JSON.stringify({ latenciesMs, failures })}\n`, () => process.exit(0));
