import { buildTariff, formatMicros, isViolation, quoteMessage } from '#billing';
import {
  type AcceptVerdict,
  carrierTestAccount,
  type Database,
  findAccount,
  findCarrier,
  findTariff,
  heldRates,
  liveProcesses,
  OperatorError,
  requestCarrierTest,
} from '#persistence';

const TEXT = 'Heliograph carrier test';
const VALIDITY_SECONDS = 60;
export const TEST_VALIDITY_SECONDS_MAX = 3_600;

interface CarrierTestSent {
  readonly messageId: string;
  readonly carrier: string;
  /** The carrier takes nothing else now. */
  readonly paused: boolean;
  readonly recipient: string;
  readonly accountId: string;
  readonly currency: string;
  /** Nobody pays: the account is the service's own for tests. */
  readonly isFree: boolean;
}

interface Sender {
  readonly accountId: string;
  readonly tariffId: string;
  readonly currency: string;
  readonly isFree: boolean;
}

/**
 * Sends one message by a carrier alone, also while it is paused; the way of the message is seen as that of any other.
 *
 * @throws OperatorError when no worker could submit the message, it breaks a rule, or its account may not send it
 */
export async function carrierTest(
  database: Database,
  wanted: {
    readonly name: string;
    readonly recipient: string;
    readonly text?: string | undefined;
    /** The account that sends and pays; left out: an account for tests. */
    readonly accountId?: string | undefined;
    /** A message that was not taken by then fails. */
    readonly validitySeconds?: number | undefined;
  },
): Promise<CarrierTestSent> {
  const { name, recipient, text = TEXT, validitySeconds = VALIDITY_SECONDS } = wanted;
  const { carrierId, paused } = await findCarrier(database, name);
  const { accountId, tariffId, currency, isFree } = await senderOf(database, wanted.accountId);
  if ((await liveProcesses(database, 'worker')).length === 0) {
    throw new OperatorError('no worker is alive that could submit the message: start one');
  }
  const { rates } = await heldRates(database, tariffId);
  const quote = quoteMessage({ recipient, message: text }, buildTariff(rates));
  // A rule says a sentence, and an error of operators a reason.
  if (isViolation(quote)) throw new OperatorError(quote.detail.replace(/\.$/, ''));
  const { v7: uuidV7 } = await import('uuid');
  const messageId = uuidV7();
  const verdict = await requestCarrierTest(database, {
    carrierId,
    accountId,
    message: { ...quote, id: messageId, recipient, message: text },
    validitySeconds: Math.min(validitySeconds, TEST_VALIDITY_SECONDS_MAX),
  });
  if (verdict.kind !== 'accepted') throw new OperatorError(`account ${accountId} ${refusal(verdict)}`);
  return { messageId, carrier: name, paused, recipient, accountId, currency, isFree };
}

async function senderOf(database: Database, accountId: string | undefined): Promise<Sender> {
  if (accountId === undefined) return { ...(await carrierTestAccount(database)), currency: 'EUR', isFree: true };
  const { tariff, currency } = await findAccount(database, accountId);
  const { tariffId } = await findTariff(database, tariff);
  return { accountId, tariffId, currency, isFree: false };
}

function refusal(verdict: AcceptVerdict): string {
  switch (verdict.kind) {
    case 'insufficient_balance':
      return `has ${formatMicros(verdict.balance)} left, which is not enough`;
    case 'rate_limited':
      return 'has reached its rate limit';
    case 'suspended':
      return 'is suspended';
    default:
      throw new Error(`a test of a carrier was answered ${verdict.kind}`);
  }
}
