import pg from 'pg';
import { accountsBySize, type PageTimes, timeCalls } from './time-pages.js';

const PAGE_LIMIT = 100;
/** What the server may take for a page of filtered messages. */
const P99_MAX_MS = 10;

/** A message that was drawn, and what it can be found by. */
interface Drawn {
  readonly account_id: string;
  readonly sequence: string;
  readonly last_sequence: string;
  readonly destination: string;
  readonly at: string;
  readonly reference: string | null;
  readonly tag: string | null;
}

/** Arguments of `find_orders` after the account: page, limit, before, from, to, state, destination, reference, tag. */
type Filter = readonly [title: string, argumentsOf: (drawn: Drawn) => string];

const text = (value: string | null) => (value === null ? "'none'" : pg.escapeLiteral(value));
const first = (rest: string) => `1, ${PAGE_LIMIT}, null, ${rest}`;

const FILTERS: readonly Filter[] = [
  ...['delivered', 'failed', 'undelivered', 'unknown', 'sent', 'queued'].map(
    (state): Filter => [`status=${state}`, () => first(`null, null, '${state}', null, null, null`)],
  ),
  ['recipient', ({ destination }) => first(`null, null, null, ${text(destination)}, null, null`)],
  ['reference', ({ reference }) => first(`null, null, null, null, ${text(reference)}, null`)],
  ['tag', ({ tag }) => first(`null, null, null, null, null, ${text(tag)}`)],
  ['tag and status', ({ tag }) => first(`null, null, 'undelivered', null, null, ${text(tag)}`)],
  ['a day', ({ at }) => first(`'${at}'::timestamptz, '${at}'::timestamptz + interval '1 day', null, null, null, null`)],
  [
    'a day and a status',
    ({ at }) => first(`'${at}'::timestamptz, '${at}'::timestamptz + interval '1 day', 'sent', null, null, null`),
  ],
  ['cursor', ({ sequence }) => `1, ${PAGE_LIMIT}, ${sequence}, null, null, null, null, null, null`],
  [
    'status=delivered, by cursor',
    ({ sequence }) => `1, ${PAGE_LIMIT}, ${sequence}, null, null, 'delivered', null, null, null`,
  ],
];

/**
 * How long the server takes to find messages. Each sample looks for what another message has that was drawn at random,
 * so large accounts are asked more often than small ones.
 */
export async function timeFilters(
  database: string,
  url: string,
  samples: number,
  signal: AbortSignal,
): Promise<PageTimes[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'heliograph-bench-filters' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const draw = await accountsBySize(client, 'last_sequence');
    const drawn: Drawn[] = [];
    while (drawn.length < samples) {
      const { accountId, total } = draw();
      const { rows } = await client.query<Drawn>(
        `select o.account_id, o.sequence, o.destination, o.created_at::text as at, l.reference, l.tag, $2::bigint as last_sequence
           from message_order o left join order_label l using (account_id, sequence)
          where o.account_id = $1 and o.sequence = $3`,
        [accountId, total, 1 + Math.floor(Math.random() * total)],
      );
      drawn.push(...rows);
    }
    const times: PageTimes[] = [];
    for (const [page, argumentsOf] of FILTERS) {
      const calls = drawn.map((one) => `find_orders(${one.account_id}, ${argumentsOf(one)})`);
      times.push({
        database,
        list: 'messages',
        page,
        p99MaxMs: P99_MAX_MS,
        ...(await timeCalls(client, calls, signal)),
      });
    }
    return times;
  } finally {
    await client.end().catch(() => undefined);
  }
}
