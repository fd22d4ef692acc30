import { messagesOf } from '../../harness/load/requests.js';
import type { Bench, Lane } from '../bench.js';
import { drain, post } from './loads.js';

const OK = 200;
/** Enough that the page that is read is full. */
const MESSAGES = 1_000;
const DRAIN_TIMEOUT_MS = 60_000;

/** The most expensive of them is the only one in a smoke run. */
const SMOKE_READ = 'messages';

const READS = [
  { id: 'summary', title: 'GET /v1/account', path: '/v1/account' },
  { id: 'balance', title: 'GET /v1/account/balance', path: '/v1/account/balance' },
  { id: 'messages', title: 'GET /v1/account/messages?limit=100', path: '/v1/account/messages?limit=100' },
] as const;

/** Reads of an account with messages, with nothing else going on. */
export async function measureReads(bench: Bench): Promise<void> {
  bench.service.startWorker();
  const { reads } = bench.accounts;
  await post(bench, reads, messagesOf(MESSAGES));
  await drain(bench, DRAIN_TIMEOUT_MS);
  const lane = (figure: Pick<Lane['figure'], 'id' | 'title' | 'yardstick'>, port: number, path: string): Lane => ({
    figure: { ...figure, unit: 'requests' },
    measure: () => {
      const request = { kind: 'read', apiKeys: reads.apiKeys, path } as const;
      return bench.measure({ port, request, expectedStatus: OK, connections: bench.options.connections });
    },
  });
  await bench.inTurns([
    lane({ id: 'echo-read', title: 'echo of a read' }, bench.echoPort, READS[0].path),
    ...READS.filter(({ id }) => !bench.options.smoke || id === SMOKE_READ).map(({ id, title, path }) =>
      lane({ id: `read-${id}`, title, yardstick: 'echo-read' }, bench.service.port, path),
    ),
  ]);
}
