import { Injectable } from '@nestjs/common';
import { Overloaded } from '#batching';
import { countedKeys, formatMicros, type Guards, type Micros } from '#billing';
import {
  type AcceptVerdict,
  Database,
  findAccountGuards,
  type GuardedRequest,
  type KeyHolder,
  type NumberHash,
  numberHash,
  type PricedMessage,
} from '#persistence';
import { ApiKeys } from '../http/api-keys.js';
import { type FieldFault, Problem, problemOf } from '../http/problem.js';
import { GatewayMetrics } from '../operator/gateway-metrics.js';
import { readable } from './manage-suppressions.js';
import { type Taken, VelocityCounts } from './velocity-counts.js';

/** Guards that change again and again while a send is judged. */
const GUARD_TRIES_MAX = 5;

/** What the guards of an account ask of the commit of a send. */
export interface GuardedSend {
  readonly request: GuardedRequest;
  /** What velocity has counted. */
  readonly taken: readonly Taken[];
  /** Those of `taken` that the database counts, in the order of `request.counted`. */
  readonly counted: readonly Taken[];
}

type GuardVerdict = Extract<AcceptVerdict, { kind: 'opted_out' | 'velocity' | 'spend_day' | 'spend_month' }>;

/** Judges sends by the guards of their account, as far as the commit has to: spend, velocity and opt-outs. */
@Injectable()
export class GuardSends {
  private hash: NumberHash | undefined;

  constructor(
    private readonly database: Database,
    private readonly velocity: VelocityCounts,
    private readonly metrics: GatewayMetrics,
    private readonly keys: ApiKeys,
  ) {}

  /**
   * Undefined for an account that has never had a guard: nothing is done for it.
   *
   * @throws Problem `suppressions_unavailable` when this process lacks the secrets key
   */
  prepare(account: KeyHolder, messages: readonly PricedMessage[]): GuardedSend | undefined | Promise<GuardedSend> {
    const { guards, guardVersion: version, hasSuppressions } = account;
    if (guards === undefined && !hasSuppressions) {
      return version === 0 ? undefined : { request: { version }, taken: [], counted: [] };
    }
    const taken = guards === undefined ? [] : this.take(account.accountId, guards, messages);
    const counted = taken.filter(({ there }) => there > 0);
    if (!hasSuppressions && counted.length === 0) return { request: { version, ...capsOf(guards) }, taken, counted };
    const hashed = (hash: NumberHash) => ({
      request: {
        version,
        numberHashes: hasSuppressions
          ? messages.map(({ destination }) => hash(account.accountId, destination))
          : undefined,
        counted: counted.map(({ key, there, thereMax }) => ({
          hash: hash(account.accountId, `counted ${key}`),
          messages: there,
          max: thereMax,
        })),
        ...capsOf(guards),
      },
      taken,
      counted,
    });
    if (this.hash !== undefined) return hashed(this.hash);
    return this.readHash().then(hashed, (fault: unknown) => {
      this.velocity.giveBack(taken);
      throw fault;
    });
  }

  /** The verdict of the commit; what the send counts is given back if it was not accepted. */
  async settled<Verdict extends AcceptVerdict>(guarded: GuardedSend, asked: Promise<Verdict>): Promise<Verdict> {
    try {
      const verdict = await asked;
      if (verdict.kind !== 'accepted') this.giveBack(guarded);
      return verdict;
    } catch (problem) {
      // Any other fault may have come after the commit.
      if (problem instanceof Overloaded) this.giveBack(guarded);
      throw problem;
    }
  }

  /**
   * The account with its guards of now: they have changed after it was looked up, and the new ones judge.
   *
   * @param tries how often the send was judged
   * @throws Overloaded when they change too often
   */
  async reread(account: KeyHolder, tries: number): Promise<KeyHolder> {
    if (tries >= GUARD_TRIES_MAX) throw new Overloaded(1);
    this.keys.forget(account.accountId);
    return { ...account, ...(await findAccountGuards(this.database, account.accountId)) };
  }

  /** Counts a refusal before the commit, if it was a guard's. */
  note(problem: unknown, { isTest }: KeyHolder): void {
    const faults = problem instanceof Problem ? (problem.extras.errors ?? []) : [];
    for (const [code, guard] of [
      ['destination_blocked', 'countries'],
      ['price_above_max', 'price'],
    ] as const) {
      const isBroken = faults.some((fault) => fault.code === code && fault.field === 'recipient');
      if (isBroken) this.count(guard, isTest);
    }
  }

  /** Says why a guard refused a request in its commit, for each message at fault. */
  problemOf(
    verdict: GuardVerdict,
    send: GuardedSend | undefined,
    isBatch: boolean,
    total: Micros,
    { currency, isTest }: KeyHolder,
  ): Problem {
    const faultsAt = (places: readonly number[], fault: FieldFault) =>
      [...new Set(places)].map((place) => (isBatch ? { ...fault, arrayPosition: place } : fault));
    switch (verdict.kind) {
      case 'opted_out':
        this.count('suppression', isTest);
        return problemOf(faultsAt(verdict.positions, OPTED_OUT));
      case 'velocity': {
        this.count('velocity', isTest);
        const full = verdict.positions.flatMap((key) => send?.counted[key] ?? []);
        const isTooMany = full.some(({ places, max }) => places.length > max);
        const places = full.flatMap((key) => key.places);
        if (isTooMany) return problemOf(faultsAt(places, ABOVE_VELOCITY));
        const { code, detail, extras } = problemOf(faultsAt(places, VELOCITY));
        const seconds = Math.max(1, Math.ceil(this.velocity.restOfHourMs / 1_000));
        return new Problem(code, detail, { ...extras, headers: { 'retry-after': String(seconds) } });
      }
      default:
        this.count(verdict.kind, isTest);
        return spendLimit(
          verdict.kind === 'spend_day' ? 'day' : 'month',
          send?.request,
          verdict.spent,
          total,
          currency,
        );
    }
  }

  /** Somebody who tries guards with a test key is no flood, and no alert. */
  private count(guard: string, isTest: boolean): void {
    if (!isTest) this.metrics.guardRefusals.inc({ guard });
  }

  private giveBack({ taken }: GuardedSend): void {
    if (taken.length > 0) this.velocity.giveBack(taken);
  }

  private take(accountId: string, guards: Guards, messages: readonly PricedMessage[]): Taken[] {
    const byKey = new Map<string, { max: number; places: number[] }>();
    for (const [place, { destination }] of messages.entries()) {
      for (const { key, max } of countedKeys(guards, destination)) {
        const same = byKey.get(key);
        if (same === undefined) byKey.set(key, { max, places: [place] });
        else same.places.push(place);
      }
    }
    return Array.from(byKey, ([key, { max, places }]) => this.velocity.take(`${accountId} ${key}`, places, max));
  }

  /** Its key never changes. */
  private async readHash(): Promise<NumberHash> {
    this.hash = await readable(numberHash(this.database));
    return this.hash;
  }
}

function capsOf(guards: Guards | undefined): Pick<GuardedRequest, 'spendDayMax' | 'spendMonthMax'> {
  return { spendDayMax: guards?.spendDayMax, spendMonthMax: guards?.spendMonthMax };
}

const OPTED_OUT: FieldFault = {
  field: 'recipient',
  code: 'recipient_opted_out',
  detail: 'The number is on the suppression list of this account.',
};

const VELOCITY: FieldFault = {
  field: 'recipient',
  code: 'velocity_limit',
  detail:
    'The account has sent as many messages to this number, or to numbers like it, as its guards allow in an hour.',
};

/** No hour has room for it, so nobody is told when to come back. */
const ABOVE_VELOCITY: FieldFault = {
  ...VELOCITY,
  detail:
    'These are more messages to this number, or to numbers like it, in one request than the guards of the account ' +
    'allow in an hour.',
};

function spendLimit(
  period: 'day' | 'month',
  { spendDayMax = 0n, spendMonthMax = 0n }: Pick<GuardedRequest, 'spendDayMax' | 'spendMonthMax'> = {},
  spent: Micros,
  required: Micros,
  currency: string,
): Problem {
  const limit = period === 'day' ? spendDayMax : spendMonthMax;
  const detail =
    `The guards of this account allow ${formatMicros(limit)} ${currency} a ${period}; ${formatMicros(spent)} is spent, ` +
    `and this costs ${formatMicros(required)}.`;
  return new Problem('spend_limit', detail, { members: { period, limit, spent, required, currency } });
}
