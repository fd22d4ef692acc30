import type { Database } from '#persistence';
import { eventually } from './eventually.js';

/** What is asked: the database first, and the API once it says so, because the API's lists cost much more. */
interface Asked {
  readonly database: Database;
  readonly accountId: string;
  messages(): Promise<ReadonlyMap<string, { readonly status: string }>>;
  statuses(): Promise<Record<string, number>>;
}

/** Waits until all messages of the account have these statuses. */
export async function untilStatuses(
  asked: Asked,
  wanted: Readonly<Record<string, number>>,
  timeoutMs: number,
): Promise<void> {
  const compare = (counts: Readonly<Record<string, number>>) => {
    if (JSON.stringify(sorted(counts)) === JSON.stringify(sorted(wanted))) return;
    throw new Error(`expected ${JSON.stringify(wanted)}, there are ${JSON.stringify(counts)}`);
  };
  await eventually(
    async () => {
      const rows = await asked.database.query<{ state: string; count: number }>(
        'select state, count(*)::integer from message_order where account_id = $1 group by state',
        [asked.accountId],
      );
      compare(Object.fromEntries(rows.map(({ state, count }) => [state, count])));
      compare(await asked.statuses());
    },
    { timeoutMs },
  );
}

/** Waits until these messages, by their ids, have the statuses that stand beside them. */
export async function untilEnded(asked: Asked, wanted: ReadonlyMap<string, string>, timeoutMs: number): Promise<void> {
  const compare = (statusOf: (id: string) => string | undefined) => {
    const others = [...wanted].filter(([id, status]) => statusOf(id) !== status);
    const words = others.map(([id, status]) => `${id} is ${statusOf(id)}, not ${status}`);
    if (words.length > 0) throw new Error(words.join('; '));
  };
  await eventually(
    async () => {
      const rows = await asked.database.query<{ id: string; state: string }>(
        'select id, state from message_order where id = any($1::uuid[])',
        [[...wanted.keys()]],
      );
      const states = new Map(rows.map(({ id, state }) => [id, state]));
      compare((id) => states.get(id));
      const listed = await asked.messages();
      compare((id) => listed.get(id)?.status);
    },
    { timeoutMs },
  );
}

function sorted(counts: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(counts).sort(([a], [b]) => a.localeCompare(b));
}
