import { messagesOf } from '../../harness/load/requests.js';
import type { Bench, Lane } from '../bench.js';
import { drain, post, reads, toEcho } from './loads.js';

/** Enough that the page that is read is full. */
const MESSAGES = 1_000;

/** The most expensive of them is the only one in a smoke run. */
const SMOKE_READ = 'messages';

const READS = [
  { id: 'summary', path: '/v1/account', yardstick: 'echo-read' },
  { id: 'balance', path: '/v1/account/balance', yardstick: 'echo-read' },
  { id: 'messages', path: '/v1/account/messages?limit=100', yardstick: 'echo-page' },
] as const;

/** An answer of the size of the read's: small ones are bound by the processor, pages by the memory as well. */
const ECHOES = [
  { id: 'echo-read', title: 'echo of a read', path: '/v1/account' },
  { id: 'echo-page', title: 'echo of a page', path: '/v1/account/messages' },
] as const;

/** Reads of an account with messages, with nothing else going on. */
export async function measureReads(bench: Bench): Promise<void> {
  const { apiKeys } = bench.accounts.reads;
  bench.service.startWorker();
  await post(bench, bench.accounts.reads, messagesOf(MESSAGES));
  await drain(bench);
  const unit = 'requests';
  const wanted = READS.filter(({ id }) => !bench.options.smoke || id === SMOKE_READ);
  const echoes = ECHOES.filter(({ id }) => wanted.some(({ yardstick }) => yardstick === id));
  await bench.inTurns([
    ...echoes.map(({ path, ...about }): Lane => {
      const echo = toEcho(bench, reads(bench, apiKeys, path));
      return { ...about, unit, measure: () => bench.measure(echo) };
    }),
    ...wanted.map(({ id, path, yardstick }): Lane => {
      const measure = () => bench.measure(reads(bench, apiKeys, path));
      return { id: `read-${id}`, title: `GET ${path}`, unit, yardstick, measure };
    }),
  ]);
}
