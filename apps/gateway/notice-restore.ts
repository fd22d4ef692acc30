import type { Config } from '#config';
import { type Database, noticeRestoredDatabase, restoreAdvice } from '#persistence';
import type { Logger } from '#telemetry';

/**
 * Notices a restored database, and logs what to do. The hold covers what the database held at that moment, not what is
 * accepted later.
 */
export async function noticeRestore(config: Config, database: Database, log: Logger): Promise<void> {
  const notice = await noticeRestoredDatabase(database, config.HOLD_AFTER_FAILOVER === 'on');
  if (notice !== undefined) log.warn({ change: notice.change, heldBefore: notice.heldBefore }, restoreAdvice(notice));
}
