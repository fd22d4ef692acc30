import pg from 'pg';
import type { Bench } from '../bench.js';
import { filledBench } from './filled.js';
import { accountsBySize, type TimedPage, timeCalls } from './time-pages.js';

const SAMPLES = 1_000;
/** What the server may take for a page of filtered messages. */
const P99_MAX_MS = 10;

/** A message that was drawn, and what it can be found by. */
interface Drawn {
  readonly account_id: string;
  readonly sequence: string;
  readonly destination: string;
  readonly at: string;
  readonly reference: string | null;
  readonly tag: string | null;
}

/** What `find_orders` takes after the account, in its order, as SQL. */
const ARGUMENTS = {
  page: '1',
  limit: '100',
  before: 'null',
  from: 'null',
  to: 'null',
  state: 'null',
  destination: 'null',
  reference: 'null',
  tag: 'null',
};
type Filter = Partial<typeof ARGUMENTS>;

const text = (value: string | null) => pg.escapeLiteral(value ?? 'none');
const dayFrom = (at: string) => ({ from: `'${at}'::timestamptz`, to: `'${at}'::timestamptz + interval '1 day'` });

const FILTERS: Readonly<Record<string, (drawn: Drawn) => Filter>> = {
  ...Object.fromEntries(
    ['delivered', 'failed', 'undelivered', 'unknown', 'sent', 'queued'].map((state) => [
      `status=${state}`,
      () => ({ state: `'${state}'` }),
    ]),
  ),
  recipient: ({ destination }) => ({ destination: text(destination) }),
  reference: ({ reference }) => ({ reference: text(reference) }),
  tag: ({ tag }) => ({ tag: text(tag) }),
  'tag and status': ({ tag }) => ({ tag: text(tag), state: `'undelivered'` }),
  'a day': ({ at }) => dayFrom(at),
  'a day and a status': ({ at }) => ({ ...dayFrom(at), state: `'sent'` }),
  cursor: ({ sequence }) => ({ before: sequence }),
  'status=delivered, by cursor': ({ sequence }) => ({ before: sequence, state: `'delivered'` }),
};

/**
 * How long the server takes to find messages in the filled database. Each sample looks for what another message has
 * that was drawn at random, so large accounts are asked more often than small ones.
 */
export async function measureFilters(bench: Bench): Promise<void> {
  const filled = await filledBench(bench);
  bench.say('finding messages in the filled database ...');
  const times = await timeCalls(filled, 'filled', async (client) => {
    const drawn = await drawMessages(client);
    return Object.entries(FILTERS).map(([page, filterOf]): TimedPage => {
      const calls = drawn.map((one) => {
        const given = Object.values({ ...ARGUMENTS, ...filterOf(one) });
        return `find_orders(${[one.account_id, ...given].join(', ')})`;
      });
      return { list: 'messages', page, p99MaxMs: P99_MAX_MS, calls };
    });
  });
  bench.pages.push(...times);
}

async function drawMessages(client: pg.Client): Promise<Drawn[]> {
  const draw = await accountsBySize(client, 'last_sequence');
  const drawn: Drawn[] = [];
  while (drawn.length < SAMPLES) {
    const { accountId, total } = draw();
    const { rows } = await client.query<Drawn>(
      `select o.account_id, o.sequence, o.destination, o.created_at::text as at, l.reference, l.tag
         from message_order o left join order_label l using (account_id, sequence)
        where o.account_id = $1 and o.sequence = $2`,
      [accountId, 1 + Math.floor(Math.random() * total)],
    );
    drawn.push(...rows);
  }
  return drawn;
}
