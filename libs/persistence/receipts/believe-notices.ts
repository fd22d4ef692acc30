import type { Queryable } from '../database/database.js';

/** What a carrier says of a message before its receipt. */
interface Notice {
  readonly carrierMessageId: string | undefined;
  readonly userMessageReference: number | undefined;
  readonly destination: string;
  readonly code: string;
}

/** Codes of notices by which a carrier says that it has the message. Nobody knows what another word means. */
const TAKEN = /^(accept|buffer|enroute|queued|scheduled|sending|sent\b)/i;

/** Whether a notice says that the carrier has a message, and can name one whose id we do not know. */
export function isTaken({ code, userMessageReference }: Notice): boolean {
  return userMessageReference !== undefined && TAKEN.test(code);
}

/** Takes notices that name a submit in doubt for the answers to it, and all others for nothing. */
export async function believeNotices(
  database: Queryable,
  carrierId: number,
  notices: readonly Notice[],
  inDoubtWaitSeconds: number,
): Promise<void> {
  await database.query('select believe_notices($1, $2::text[], $3::integer[], $4::text[], make_interval(secs => $5))', [
    carrierId,
    notices.map(({ carrierMessageId }) => carrierMessageId ?? null),
    notices.map(({ userMessageReference }) => userMessageReference ?? null),
    notices.map(({ destination }) => destination),
    inDoubtWaitSeconds,
  ]);
}
