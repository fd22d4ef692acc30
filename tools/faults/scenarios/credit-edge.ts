import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { hearEvents, openAccount, UNIT_PRICE } from '../accounts.js';
import type { Field } from '../field.js';
import type { HistoryRecord, PlannedMessage } from '../history/history.js';
import { attempts } from '../load/attempt.js';
import type { Scenario } from '../scenario.js';

const SENDERS = 64;
/** Numbers of these sends, apart from those of the load. */
const FIRST_SEND = 1_000_000_000;
const SENDS_PER_ROUND = 100_000;
const RETRY_MS = 200;
const ROUND_TIMEOUT_MS = 120_000;

interface Drain {
  readonly accountId: string;
  readonly apiKey: string;
  readonly round: number;
  readonly deadlineMs: number;
  sends: number;
  accepted: number;
}

export const creditEdge: Scenario = {
  name: 'credit-edge',
  says: '64 senders drain an account to its credit limit, a gateway is killed: exactly what it can pay is accepted',
  recovery: 'gateway killed -> it accepts again',
  rounds: 10,
  pauseMs: [200, 1_000],
  async strike(field, round) {
    const affordable = field.random.between(100, 600);
    // What does not buy a whole message stays.
    const creditLimit = BigInt(affordable) * UNIT_PRICE + BigInt(field.random.between(0, Number(UNIT_PRICE) - 1));
    const opened = await openAccount(field.system, `edge ${round}`, creditLimit);
    const { events } = field.stage;
    if (events !== undefined) await hearEvents(field.system, [opened], events.url);
    const drain: Drain = { ...opened, round, deadlineMs: Date.now() + ROUND_TIMEOUT_MS, sends: 0, accepted: 0 };
    field.drainedAccounts.add(drain.accountId);
    if (field.historyFiles.length === 0) field.historyFiles.push(join(field.system.dir, 'edge.jsonl'));
    const draining = Promise.all(Array.from({ length: SENDERS }, (_, sender) => sendAll(field, drain, sender)));
    const { gateways } = field.system;
    const victim = field.random.pick(gateways);
    await Promise.race([field.pause(field.random.between(20, 600)), draining]);
    const fromMs = field.note('credit-edge', `${victim.name} killed, account ${drain.accountId}`);
    await victim.kill();
    field.awaitAccept({ fromMs, gateway: gateways.indexOf(victim) });
    await draining;
    if (drain.accepted !== affordable) {
      field.complain(`account ${drain.accountId} could pay ${affordable} messages; ${drain.accepted} were accepted`);
    }
    const { spent, orders } = await field.facts.spentBy(drain.accountId);
    if (spent > creditLimit) {
      field.complain(`account ${drain.accountId} has spent ${spent} of ${creditLimit} millionths`);
    }
    if (orders !== affordable) {
      field.complain(`account ${drain.accountId} could pay ${affordable} messages; ${orders} are stored`);
    }
    field.mended('credit-edge');
    // The next account is drained by two gateways again, and what this one accepts says how long it was away.
    await victim.ready(field.signal);
  },
  async conclude(field) {
    field.measures.push(`${field.drainedAccounts.size} accounts drained by ${SENDERS} senders each`);
  },
};

/** One sender: message after message, each with its own key until it is answered, until there is no money left. */
async function sendAll(field: Field, drain: Drain, gateway: number): Promise<void> {
  const { gatewayPorts: ports } = field.system;
  const [file] = field.historyFiles;
  const write = (record: HistoryRecord) => appendFileSync(file ?? '', `${JSON.stringify(record)}\n`);
  for (;;) {
    const send = FIRST_SEND + drain.round * SENDS_PER_ROUND + drain.sends++;
    const message: PlannedMessage = { name: `c${send}.0`, recipient: '+4915171000000', segments: 1 };
    const planned = { send, account: 0, gateway, isBatch: false, messages: [message], texts: [`<${message.name}>`] };
    for await (const { outcome, code } of attempts({ ...drain, ports, write }, planned, `edge-${send}`)) {
      if (outcome === 'ok') drain.accepted += 1;
      if (outcome === 'ok') break;
      if (code === 'insufficient_balance' || Date.now() > drain.deadlineMs) return;
      await field.pause(RETRY_MS);
    }
    field.signal.throwIfAborted();
  }
}
