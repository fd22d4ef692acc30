import { awaitFact } from '../../harness/await-fact.js';
import type { FaultAccount } from '../accounts.js';
import type { Field } from '../field.js';
import { IN_DOUBT_FLAGS, type Scenario } from '../scenario.js';

/** The number that the account of these conversations answers to. */
const SERVICE_NUMBER = '4915180000000';
const CREDIT = 1_000_000_000n;
const GUARDS = ['--countries', 'DE', '--price-max', '1', '--spend-day', '1000', '--spend-month', '1000'];
/** One message at once, and two that the opt-out overtakes: the last one's time is long past every fault. */
const SEND_IN_MS = [undefined, 3_000, 90_000] as const;
const AGAIN_MS = 200;
const TIMEOUT_MS = 180_000;
const FAULT_AFTER_MS = 300;

/** What a run's conversations share. */
interface Conversations {
  readonly account: FaultAccount;
  handsets: number;
  /** Messages of handsets that the carrier has brought. */
  brought: number;
}

const conversations = new WeakMap<Field, Promise<Conversations>>();

export const optOuts: Scenario = {
  name: 'opt-outs',
  says: 'handsets write STOP and later START while messages to them wait, and a worker is killed: nothing is sent between',
  simulatorFlags: IN_DOUBT_FLAGS,
  recovery: 'worker killed -> dispatch goes on',
  rounds: 10,
  pauseMs: [200, 1_000],
  async strike(field) {
    const talk = optOut(field);
    await field.pause(field.random.between(0, FAULT_AFTER_MS));
    const victim = await field.victim(field.system.workers);
    field.awaitDispatch(await field.killWorker(victim, 'opt-out-kill'));
    await talk;
  },
  conclude: judgeInbound,
};

/** One handset: gets messages, writes STOP, is left alone, writes START, gets messages again. */
export async function optOut(field: Field): Promise<void> {
  const talk = await conversationsOf(field);
  const recipient = `+49151801${String(10_000 + talk.handsets++)}`;
  const { accountId } = talk.account;
  for (const sendInMs of SEND_IN_MS) await sendTo(field, talk, recipient, sendInMs);
  field.note('opt-out', recipient);
  const askedAtMs = Date.now();
  await write(field, talk, recipient, 'STOP');
  await awaitListed(field, accountId, 1);
  const heldFromMs = Date.now();
  if (await sendTo(field, talk, recipient)) field.complain(`a send to ${recipient} was accepted after its STOP`);
  const heldUntilMs = Date.now();
  await write(field, talk, recipient, 'START');
  field.record({ kind: 'opt-out', account: accountId, recipient, atMs: askedAtMs, heldFromMs, heldUntilMs });
  await awaitListed(field, accountId, 0);
  if (!(await sendTo(field, talk, recipient))) field.complain(`no send to ${recipient} was accepted after its START`);
  field.mended('opt-out', recipient);
}

/** Each message of a handset that the carrier has brought is stored once. */
export async function judgeInbound(field: Field): Promise<void> {
  const talk = await conversations.get(field);
  if (talk === undefined) return;
  const { count } = await field.system.postgres.row<{ count: number }>(
    'select count(*)::integer as count from inbound_message where account_id = $1',
    talk.account.accountId,
  );
  if (count !== talk.brought) field.complain(`handsets wrote ${talk.brought} messages; ${count} are stored`);
  field.measures.push(`${talk.brought / 2} numbers opted out and in again`);
}

/** An account that handsets answer; made at the first call, which no fault may disturb. */
export function conversationsOf(field: Field): Promise<Conversations> {
  const begun = conversations.get(field) ?? beginConversations(field);
  conversations.set(field, begun);
  return begun;
}

async function beginConversations(field: Field): Promise<Conversations> {
  const { smsctl } = field.system;
  const account = await field.openAccount('handsets', CREDIT);
  await smsctl.run('number', 'assign', SERVICE_NUMBER, account.accountId);
  await smsctl.run('guard', 'set', account.accountId, ...GUARDS);
  field.refusedFor.set(account.accountId, 'recipient_opted_out');
  return { account, handsets: 0, brought: 0 };
}

/** Asks until it is accepted, or refused for good. Resolves to whether it was accepted. */
async function sendTo(
  field: Field,
  { account }: Conversations,
  recipient: string,
  sendInMs?: number,
): Promise<boolean> {
  for await (const { outcome, code } of field.send(account, recipient, sendInMs)) {
    if (outcome === 'ok') return true;
    if (code === 'recipient_opted_out' || code === 'send_at_invalid') break;
    await field.pause(AGAIN_MS);
  }
  return false;
}

/** The carrier brings a handset's message until the service acknowledges it. */
async function write(field: Field, talk: Conversations, from: string, text: string): Promise<void> {
  await field.system.simulator.change({ inbound: [{ from: from.slice(1), to: SERVICE_NUMBER, text }] });
  talk.brought += 1;
}

/** One handset writes at a time, so the list of the account has its number or nothing. */
async function awaitListed(field: Field, accountId: string, count: 0 | 1): Promise<void> {
  const what = count === 1 ? 'a STOP is obeyed' : 'a START is obeyed';
  await awaitFact(what, TIMEOUT_MS, field.signal, async () => {
    const query = 'select from suppression where account_id = $1';
    const listed = await field.system.postgres.query(query, [accountId]).catch(() => undefined);
    return listed?.length === count;
  });
}
