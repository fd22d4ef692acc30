import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatMicros } from '#billing';
import { type FaultAccount, hearEvents, openAccount, UNIT_PRICE } from '../accounts.js';
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
  readonly edge: Edge;
  readonly round: number;
  readonly deadlineMs: number;
  sends: number;
  accepted: number;
}

/** What ends the sends of an account: its money, or a guard in front of more money than it may spend. */
const EDGES = {
  'credit-edge': {
    says: '64 senders drain an account to its credit limit, a gateway is killed: exactly what it can pay is accepted',
    code: 'insufficient_balance',
  },
  'spend-edge': {
    says: '64 senders send up to the spend cap of an account, a gateway is killed: exactly what it may spend is accepted',
    code: 'spend_limit',
  },
} as const;
type Edge = keyof typeof EDGES;

export const creditEdge = scenarioOf('credit-edge');
export const spendEdge = scenarioOf('spend-edge');

function scenarioOf(name: Edge): Scenario {
  return {
    name,
    says: EDGES[name].says,
    recovery: 'gateway killed -> it accepts again',
    rounds: 10,
    pauseMs: [200, 1_000],
    async strike(field, round) {
      const affordable = field.random.between(100, 600);
      // What does not buy a whole message stays.
      const limit = BigInt(affordable) * UNIT_PRICE + BigInt(field.random.between(0, Number(UNIT_PRICE) - 1));
      const opened = await openAt(field, name, round, limit);
      const { events } = field.stage;
      if (events !== undefined) await hearEvents(field.system, [opened], events.url);
      const drain: Drain = {
        ...opened,
        edge: name,
        round,
        deadlineMs: Date.now() + ROUND_TIMEOUT_MS,
        sends: 0,
        accepted: 0,
      };
      field.refusedFor.set(drain.accountId, EDGES[name].code);
      if (field.historyFiles.length === 0) field.historyFiles.push(join(field.system.dir, 'edge.jsonl'));
      const draining = Promise.all(Array.from({ length: SENDERS }, (_, sender) => sendAll(field, drain, sender)));
      const { gateways } = field.system;
      const victim = field.random.pick(gateways);
      await Promise.race([field.pause(field.random.between(20, 600)), draining]);
      const fromMs = field.note(name, `${victim.name} killed, account ${drain.accountId}`);
      await victim.kill();
      field.awaitAccept({ fromMs, gateway: gateways.indexOf(victim) });
      await draining;
      if (drain.accepted !== affordable) {
        field.complain(`account ${drain.accountId} could pay ${affordable} messages; ${drain.accepted} were accepted`);
      }
      const { spent, orders } = await field.facts.spentBy(drain.accountId);
      if (spent > limit) {
        field.complain(`account ${drain.accountId} has spent ${spent} of ${limit} millionths`);
      }
      if (orders !== affordable) {
        field.complain(`account ${drain.accountId} could pay ${affordable} messages; ${orders} are stored`);
      }
      field.mended(name);
      // The next account is drained by two gateways again, and what this one accepts says how long it was away.
      await victim.ready(field.signal);
    },
    async conclude(field) {
      field.measures.push(`${field.refusedFor.size} accounts drained by ${SENDERS} senders each`);
    },
  };
}

/** An account that can pay, or may spend, so much. */
async function openAt(field: Field, edge: Edge, round: number, limit: bigint): Promise<FaultAccount> {
  if (edge === 'credit-edge') return openAccount(field.system, `edge ${round}`, limit);
  const opened = await openAccount(field.system, `edge ${round}`, limit * 2n);
  // Of the month: a run may go on over midnight.
  await field.system.smsctl.run('guard', 'set', opened.accountId, '--spend-month', formatMicros(limit));
  return opened;
}

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
      if (code === EDGES[drain.edge].code || Date.now() > drain.deadlineMs) return;
      await field.pause(RETRY_MS);
    }
    field.signal.throwIfAborted();
  }
}
