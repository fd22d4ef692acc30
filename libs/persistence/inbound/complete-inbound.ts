import { listCarriers } from '../carriers/carriers.js';
import type { Database, Queryable } from '../database/database.js';
import { inboundCarrier } from './inbound-carrier.js';
import { type JoinedMessage, joined, joinParts } from './join-parts.js';
import { openParts, PART_COLUMNS, type StoredPart } from './part-contents.js';
import { forgetContents, type InboundCarrier, storeMessages } from './store-inbound.js';

/** How long a long message waits for its missing parts, after the last one that came. */
const PARTS_WAIT_MINUTES = 60;
/** Handsets with their numbers in one call. */
const PAIRS_MAX = 100;

/**
 * Stores long messages whose missing parts have not come in time, with `[…]` in their place, and in the place of parts
 * that cannot be read.
 *
 * @throws the first failure, after it has tried the messages of all handsets
 */
export async function completeInbound(database: Database, defaultSender: string, pairsMax = PAIRS_MAX): Promise<void> {
  // Any of them, because some may fail each time and must not keep the others waiting.
  const pairs = await database.query<Pair>(
    `select * from (
       select distinct p.carrier_id as "carrierId", p.source, p.destination from inbound_part p
        where p.content is not null and p.received_at < now() - make_interval(mins => $1)) w
      order by random() limit $2`,
    [PARTS_WAIT_MINUTES, pairsMax],
  );
  if (pairs.length === 0) return;
  const carriers = new Map((await listCarriers(database)).map((carrier) => [carrier.carrierId, carrier]));
  const failures: unknown[] = [];
  for (const pair of pairs) {
    const { carrierId } = pair;
    const carrier = inboundCarrier(carriers.get(carrierId) ?? { carrierId, options: {} }, defaultSender);
    try {
      await database.transaction((transaction) => completePair(transaction, carrier, pair));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** A handset and the number that it wrote to. */
interface Pair {
  readonly carrierId: number;
  readonly source: string;
  readonly destination: string;
}

async function completePair(transaction: Queryable, carrier: InboundCarrier, pair: Pair): Promise<void> {
  const { carrierId, source, destination } = pair;
  // As take_inbound_parts locks it: no part is being stored meanwhile.
  await transaction.query(
    `select pg_advisory_xact_lock(hashtextextended('heliograph.inbound ' || $1 || ' ' || $2, 0))`,
    [source, destination],
  );
  const parts = await transaction.query<StoredPart & { readonly isRepetition: boolean }>(
    `select ${PART_COLUMNS},
            exists (select from inbound_part s
                     where s.fingerprint = p.fingerprint and s.carrier_id = p.carrier_id and s.content is null
                       and s.received_at between p.received_at - interval '10 minutes' and p.received_at
                   ) as "isRepetition"
       from (select *, max(received_at) over (partition by reference, total) as last_at from inbound_part
              where source = $2 and destination = $3 and carrier_id = $1 and content is not null) p
      where p.last_at < now() - make_interval(mins => $4) order by p.part_id`,
    [carrierId, source, destination, PARTS_WAIT_MINUTES],
  );
  const { messages, open } = joinParts(await openParts(transaction, parts));
  const all = [...messages, ...open.map((group) => joined(group))].map((message) => ({
    ...message,
    keyword: undefined,
  }));
  await forgetContents(transaction, all);
  // What a carrier delivers twice and whose message was whole before the second time came is no message of its own.
  const repetitions = new Set(parts.filter(({ isRepetition }) => isRepetition).map(({ partId }) => partId));
  const isNew = ({ missing, partIds }: JoinedMessage) => missing === 0 || partIds.some((id) => !repetitions.has(id));
  await storeMessages(transaction, carrier, all.filter(isNew));
}
