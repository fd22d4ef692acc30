import { expectCarrierOfLists } from '../carriers/carriers.js';
import type { Queryable } from '../database/database.js';
import { inTime } from '../database/in-time.js';
import { INBOUND_COLUMNS, type InboundItem, type InboundRow, inboundItem, inboundItems } from './find-inbound.js';

/** A message from a handset, as operators see it. */
export interface ListedInbound extends InboundItem {
  /** Undefined: it is nobody's. */
  readonly accountId: string | undefined;
  /** Why it is nobody's: no account sends from its number, or several do. */
  readonly unassigned: 'unknown' | 'ambiguous' | undefined;
  readonly carrier: string | undefined;
}

export interface InboundSelection {
  readonly accountId?: string | undefined;
  /** Only those that are nobody's. */
  readonly isUnassigned?: boolean | undefined;
  readonly carrier?: string | undefined;
  readonly source?: string | undefined;
  readonly destination?: string | undefined;
  /** Only those that the list has behind this one. */
  readonly before?: string | undefined;
  /** False: their texts are empty, and no key is needed. */
  readonly withTexts?: boolean | undefined;
}

/**
 * Messages from handsets, newest first. Conditions without an index are checked message by message, so a search for a
 * rare one takes long; the caller's statement timeout limits it.
 *
 * @throws OperatorError when there is no such carrier, or it took longer than the statement timeout
 * @throws TextUnreadable when texts are wanted and this process cannot read one
 */
export async function listInbound(
  database: Queryable,
  { accountId, isUnassigned = false, carrier, source, destination, before, withTexts = true }: InboundSelection,
  limit: number,
): Promise<ListedInbound[]> {
  if (carrier !== undefined) await expectCarrierOfLists(database, carrier);
  const parameters: unknown[] = [];
  const conditions = isUnassigned ? ['m.account_id is null'] : ['true'];
  for (const [condition, value] of [
    ['m.account_id =', accountId],
    ['c.name =', carrier],
    ['m.source =', source],
    ['sender_key(m.destination) =', destination],
    ['m.inbound_id <', before],
  ] as const) {
    if (value === undefined) continue;
    parameters.push(value);
    conditions.push(`${condition} $${parameters.length}`);
  }
  parameters.push(limit);
  const rows = await inTime('narrow it with --account and --sender', () =>
    database.query<
      InboundRow & { accountId: string | null; unassigned: ListedInbound['unassigned'] | null; carrier: string | null }
    >(
      `select ${INBOUND_COLUMNS}, m.account_id as "accountId", m.unassigned, c.name as carrier
         from inbound_message m left join carrier c using (carrier_id)
        where ${conditions.join(' and ')} order by m.inbound_id desc limit $${parameters.length}`,
      parameters,
    ),
  );
  const shown = withTexts ? rows : rows.map((row) => ({ ...row, message: '' }));
  return inboundItems(database, shown, (row) => ({
    ...inboundItem(row),
    accountId: row.accountId ?? undefined,
    unassigned: row.unassigned ?? undefined,
    carrier: row.carrier ?? undefined,
  }));
}
