import type { Scenario } from '../scenario.js';

/** What the service sets on its own sessions; a session that forgets its transaction is ended by the server after it. */
const IDLE_IN_TRANSACTION_MS = 10_000;
const SHORT_IDLE_MS = 3_000;

export const rowLock: Scenario = {
  name: 'row-lock',
  says: "a session idle in its transaction holds the hot account's balance row until the server ends it",
  recovery: 'row locked -> first accepted send of that account',
  rounds: 3,
  pauseMs: [1_000, 3_000],
  async strike(field) {
    const { postgres, accounts } = field.system;
    const [hot] = accounts;
    if (hot === undefined) throw new Error('no account');
    const heldMs = field.isShort ? SHORT_IDLE_MS : IDLE_IN_TRANSACTION_MS;
    const session = await postgres.connect(
      'heliograph-faults-lock',
      `-c idle_in_transaction_session_timeout=${heldMs}`,
    );
    try {
      await session.query('begin');
      await session.query('select 1 from account_balance where account_id = $1 for update', [hot.accountId]);
      const fromMs = field.note('row-lock', `account ${hot.accountId}`);
      field.awaitAccept({ fromMs: fromMs + 100, account: hot.accountId });
      await field.pause(heldMs + 500);
      const isEnded = await session.query('select 1').then(
        () => false,
        () => true,
      );
      if (!isEnded) field.complain('the server did not end the session that was idle in its transaction');
      field.mended('row-lock');
      await field.pause(2_000);
    } finally {
      await session.end().catch(() => undefined);
    }
  },
};
