import type { Config } from '#config';
import { type Database, findHold, noticeRestoredDatabase, OperatorError, restoreAdvice, setHold } from '#persistence';
import type { Logger } from '#telemetry';

/** Sets a hold when the database was restored; whoever is the first to notice says so, once. */
export async function watchForRestore(database: Database, config: Config, log: Logger): Promise<void> {
  const notice = await noticeRestoredDatabase(database, config.HOLD_AFTER_FAILOVER === 'on');
  if (notice !== undefined) log.warn({ change: notice.change, heldBefore: notice.heldBefore }, restoreAdvice(notice));
}

/** The same before the first claim; with HOLD_AT_START it also holds what no identity would tell of. */
export async function holdAtStart(database: Database, config: Config, log: Logger): Promise<void> {
  await watchForRestore(database, config, log);
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
