import type { Queryable } from '../database/database.js';
import type { StoredCarrier } from './carrier-settings.js';
import { type CarrierRow, carrierOf } from './carriers.js';

/** The one carrier of all sandboxes. It stands in the database, but no list of an operator's carriers has it. */
export const SANDBOX_CARRIER_ID = -1;
/** In metrics and views. No other carrier can have it: theirs have no capital letters. */
export const SANDBOX_CARRIER_NAME = 'Sandbox';

/** Undefined while no account has a sandbox: then no worker needs it. */
export async function findSandboxCarrier(database: Queryable): Promise<StoredCarrier | undefined> {
  const [row] = await database.query<CarrierRow>(
    'select * from carrier where carrier_id = $1 and exists (select from account where account_id < 0)',
    [SANDBOX_CARRIER_ID],
  );
  return row && carrierOf(row);
}
