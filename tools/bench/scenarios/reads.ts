import type { Bench } from '../bench.js';
import type { Window } from '../figures.js';
import { messageOf } from '../generator/requests.js';
import { drain } from './drain.js';

const OK = 200;
const CREATED = 201;
/** Enough that the page that is read is full. */
const MESSAGES = 1_000;
const DRAIN_TIMEOUT_MS = 60_000;

/** The dearest of them stands for the others in a smoke run. */
const SMOKE_READ = 'messages';

const READS = [
  { id: 'summary', title: 'GET /v1/account', path: '/v1/account' },
  { id: 'balance', title: 'GET /v1/account/balance', path: '/v1/account/balance' },
  { id: 'messages', title: 'GET /v1/account/messages?limit=100', path: '/v1/account/messages?limit=100' },
] as const;

/** Reads of an account with messages, with nothing else going on. */
export async function measureReads(bench: Bench): Promise<void> {
  bench.service.startWorker();
  await placeMessages(bench);
  await drain(bench, bench.accounts.reads, MESSAGES, DRAIN_TIMEOUT_MS);
  const { apiKey } = bench.accounts.reads;
  const reads = READS.filter(({ id }) => !bench.options.isSmoke || id === SMOKE_READ);
  const windows = new Map<string, Window[]>([['echo', []], ...READS.map(({ id }) => [id, []] as [string, Window[]])]);
  const shoot = async (id: string, port: number, path: string) => {
    const request = { kind: 'read', apiKey, path } as const;
    const { window } = await bench.measure({
      port,
      request,
      expectedStatus: OK,
      connections: bench.options.connections,
    });
    windows.get(id)?.push(window);
  };
  for (let round = 0; round < bench.options.windows; round++) {
    await shoot('echo', bench.service.echoPort, READS[0].path);
    for (const read of reads) await shoot(read.id, bench.service.port, read.path);
  }
  bench.add({ id: 'echo-read', title: 'echo of a read', unit: 'requests', windows: windows.get('echo') ?? [] });
  for (const { id, title } of reads) {
    const measured = windows.get(id) ?? [];
    bench.add({ id: `read-${id}`, title, unit: 'requests', windows: measured, yardstick: 'echo-read' });
  }
}

async function placeMessages(bench: Bench): Promise<void> {
  const account = bench.accounts.reads;
  const response = await fetch(`http://127.0.0.1:${bench.service.port}/v1/message/send-batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-authorization': account.apiKey },
    body: JSON.stringify({ messages: Array.from({ length: MESSAGES }, (_, index) => messageOf(index)) }),
  });
  const text = await response.text();
  if (response.status !== CREATED) throw new Error(`placing messages to read: ${response.status} ${text}`);
  bench.countAccepted(account, MESSAGES);
}
