import type { Field } from '../field.js';

/**
 * Excuses as duplicates what the database says was in doubt and made again, and no more: a window is no bound where
 * responses are late or lost for longer than a submit waits for one.
 */
export async function excuseMadeAgain(field: Field): Promise<void> {
  const [row] = await field.system.postgres.query<{ again: number; byReceipt: number }>(IN_DOUBT);
  const { again = 0, byReceipt = 0 } = row ?? {};
  field.allowDuplicates(again);
  field.measures.push(
    `segments in doubt that were made again ${again}, orders in doubt that a receipt or late answer settled ${byReceipt}`,
  );
}

/** An order that a receipt moved to `sent` had no answer for one of its segments. */
const IN_DOUBT = `
  select (select count(*)::integer from doubtful_submit) as again,
         (select count(*)::integer from order_transition
           where to_state = 'sent' and (actor = 'receipt' or from_state = 'queued')) as "byReceipt"`;
