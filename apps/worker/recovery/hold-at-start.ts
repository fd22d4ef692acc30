import type { Config } from '#config';
import { type Database, findHold, OperatorError, setHold, warnOfRestore } from '#persistence';
import type { Logger } from '#telemetry';

/**
 * Before the first claim: sets a hold when the database was restored. With HOLD_AT_START it also holds what no identity
 * would tell of.
 */
export async function holdAtStart(database: Database, config: Config, log: Logger): Promise<void> {
  await warnOfRestore(database, config.HOLD_AFTER_FAILOVER === 'on', log.warn.bind(log));
  if (config.HOLD_AT_START === 'on' && (await findHold(database)) === undefined) {
    try {
      const { heldBefore } = await setHold(database, 'HOLD_AT_START is on');
      log.warn({ heldBefore }, 'HOLD_AT_START is on: what is open now is held; see `smsctl hold show`');
    } catch (error) {
      // Another worker that starts at the same time was faster.
      if (!(error instanceof OperatorError)) throw error;
    }
  }
}
