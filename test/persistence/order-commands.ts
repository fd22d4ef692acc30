import { expect } from '@jest/globals';
import fc from 'fast-check';
import { recordIntents } from '../support/dispatch-steps.js';
import { FUZZ_REPLAY_PATH } from '../support/fuzz.js';
import { answer, carrierId, receiptFor, type TestLedger } from '../support/test-ledger.js';
import { type InDoubtPolicy, OrderModel, RECEIPT_DEADLINE_SECONDS } from './order-model.js';

/** How far the clock of a run may get ahead of the model's: what its statements take on a slow machine. */
const SLACK_SECONDS = 15;

interface Owner {
  readonly order: number;
  readonly epoch: number;
  readonly policy: InDoubtPolicy;
  readonly open: readonly number[];
  next: number;
}

/** Some orders of one account in memory, and who is at work on them. */
export interface World {
  now: number;
  readonly orders: readonly OrderModel[];
  owners: Owner[];
}

/** The same orders in the database. */
export interface Stored {
  readonly ledger: TestLedger;
  readonly account: string;
  readonly messages: readonly { readonly id: string; readonly destination: string; readonly segments: number }[];
  readonly carriers: Readonly<Record<InDoubtPolicy, number>>;
  readonly startedMs: number;
}

interface StoredOrder {
  state: string;
  amount: string;
  epoch: number;
  transitions: { from: string; to: string; actor: string }[] | null;
  segments: Record<string, string> | null;
}

/** A step in both worlds, after which they must agree. */
abstract class Step implements fc.AsyncCommand<World, Stored> {
  check(world: Readonly<World>): boolean {
    return this.isPossible(world);
  }

  async run(world: World, stored: Stored): Promise<void> {
    // Past its slack a run proves nothing about deadlines.
    if (performance.now() - stored.startedMs > (SLACK_SECONDS - 3) * 1_000) return;
    await this.take(world, stored);
    await expectAgreement(world, stored);
  }

  protected isPossible(_world: Readonly<World>): boolean {
    return true;
  }

  protected abstract take(world: World, stored: Stored): Promise<void>;
}

class Claim extends Step {
  constructor(
    private readonly which: number,
    private readonly policy: InDoubtPolicy,
  ) {
    super();
  }

  protected async take(world: World, stored: Stored): Promise<void> {
    await settleClock(world, stored);
    const index = this.which % world.orders.length;
    const { id } = messageAt(stored, index);
    const open = orderAt(world, index).claim(world.now, this.policy);
    const [claimed] = await stored.ledger.claim([id], { carrierId: stored.carriers[this.policy] });
    expect(claimed?.openPositions).toEqual(open);
    if (claimed === undefined || open === undefined) return;
    expect(claimed.epoch).toBe(orderAt(world, index).epoch);
    world.owners.push({ order: index, epoch: claimed.epoch, policy: this.policy, open, next: 0 });
  }

  override toString = () => `claim ${this.which} (${this.policy})`;
}

type Kind = 'accepted' | 'refused' | 'pending' | 'in_doubt' | 'none';

class Submit extends Step {
  constructor(
    private readonly which: number,
    private readonly kind: Kind,
    private readonly isRepeated: boolean,
    private readonly stopsEarly: boolean,
    private readonly retryAfterSeconds: number,
  ) {
    super();
  }

  protected override isPossible(world: Readonly<World>): boolean {
    return world.owners.length > 0;
  }

  protected async take(world: World, stored: Stored): Promise<void> {
    await settleClock(world, stored);
    const owner = world.owners[this.which % world.owners.length];
    if (owner === undefined) return;
    const order = orderAt(world, owner.order);
    const { id } = messageAt(stored, owner.order);
    const position = owner.open[owner.next] ?? 0;
    const leave = () => {
      world.owners = world.owners.filter((one) => one !== owner);
    };
    if (owner.next > 0) {
      const intent = { id, position, epoch: owner.epoch, carrierId: stored.carriers[owner.policy] };
      const [mayWrite] = await recordIntents(stored.ledger.database, [intent]);
      expect(mayWrite).toBe(order.intent(world.now, position, owner.epoch, owner.policy));
      if (!mayWrite) return leave();
    }
    const segment = order.segments.get(position);
    owner.next += 1;
    // Whose segment is no longer waited for as submitting is late; that has tests of its own.
    const isInTime = segment?.state === 'submitting' && segment.epoch === owner.epoch;
    const isDone = this.stopsEarly || this.kind !== 'accepted' || owner.next === owner.open.length;
    if (isDone || !isInTime) leave();
    if (this.kind === 'none' || !isInTime) return;
    const { kind, retryAfterSeconds } = this;
    for (let time = 0; time < (this.isRepeated ? 2 : 1); time += 1) {
      const changes = { done: isDone, retryAfterMs: retryAfterSeconds * 1_000 };
      const named = kind === 'accepted' ? { answer: nameOf(id, position, owner.epoch) } : {};
      order.answer(world.now, position, owner.epoch, kind, isDone, retryAfterSeconds);
      await stored.ledger.record([answer({ id, epoch: owner.epoch }, position, kind, { ...changes, ...named })]);
    }
  }

  override toString = () =>
    `submit ${this.which}: ${this.kind}${this.isRepeated ? ' twice' : ''}${this.stopsEarly ? ', stop' : ''}`;
}

class Die extends Step {
  constructor(private readonly which: number) {
    super();
  }

  protected override isPossible(world: Readonly<World>): boolean {
    return world.owners.length > 0;
  }

  protected async take(world: World): Promise<void> {
    world.owners.splice(this.which % world.owners.length, 1);
  }

  override toString = () => `die ${this.which}`;
}

class Receipt extends Step {
  constructor(
    private readonly which: number,
    private readonly verdicts: readonly ('delivered' | 'undelivered')[],
    private readonly together: boolean,
  ) {
    super();
  }

  protected override isPossible(world: Readonly<World>): boolean {
    return named(world).length > 0;
  }

  protected async take(world: World, stored: Stored): Promise<void> {
    const segments = named(world);
    const { order, position } = segments[this.which % segments.length] ?? { order: 0, position: 0 };
    const segment = orderAt(world, order).segments.get(position);
    if (segment === undefined) return;
    const message = messageAt(stored, order);
    const carrierMessageId = nameOf(message.id, position, segment.epoch);
    const receipts = this.verdicts.map((verdict) => receiptFor(message, position, verdict, { carrierMessageId }));
    const carrier = stored.carriers[segment.policy];
    if (this.together) await stored.ledger.settle(receipts, carrier);
    else for (const receipt of receipts) await stored.ledger.settle([receipt], carrier);
    // Together they count as the best of them, in whatever order they stand.
    const best = this.verdicts.includes('delivered') ? 'delivered' : 'undelivered';
    const applied = this.together && segment.state !== 'submitting' ? ([best] as const) : this.verdicts;
    for (const verdict of applied) orderAt(world, order).receipt(world.now, position, segment.epoch, verdict);
  }

  override toString = () => `receipt ${this.which}: ${this.verdicts.join(this.together ? '+' : ', ')}`;
}

class Sweep extends Step {
  protected async take(world: World, stored: Stored): Promise<void> {
    await settleClock(world, stored);
    for (const order of world.orders) order.sweep(world.now);
    await stored.ledger.sweep({ receiptDeadlineSeconds: RECEIPT_DEADLINE_SECONDS });
  }

  override toString = () => 'sweep';
}

class Pass extends Step {
  constructor(private readonly seconds: number) {
    super();
  }

  protected take(world: World, stored: Stored): Promise<void> {
    return pass(world, stored, this.seconds);
  }

  override toString = () => `${this.seconds} s pass`;
}

/** Any history of some orders; mostly what happens mostly, so that histories get far. */
export function orderCommands(maxCommands: number) {
  const which = fc.nat(9);
  const verdict = fc.constantFrom('delivered' as const, 'delivered' as const, 'undelivered' as const);
  const claim = fc.tuple(which, fc.constantFrom<InDoubtPolicy>('resend', 'resend', 'hold')).map((a) => new Claim(...a));
  const kind = fc.constantFrom<Kind>(
    'accepted',
    'accepted',
    'accepted',
    'accepted',
    'refused',
    'pending',
    'in_doubt',
    'none',
  );
  const rarely = fc.constantFrom(false, false, false, true);
  const submit = fc.tuple(which, kind, rarely, rarely, fc.constantFrom(0, 20)).map((a) => new Submit(...a));
  const receipt = fc
    .tuple(which, fc.array(verdict, { minLength: 1, maxLength: 3 }), fc.boolean())
    .map((a) => new Receipt(...a));
  const sweep = fc.constant(null).map(() => new Sweep());
  const passing = fc.constantFrom(5, 40, 70, 1_300, 3_700).map((seconds) => new Pass(seconds));
  const die = which.map((one) => new Die(one));
  return fc.commands([claim, claim, submit, submit, submit, submit, receipt, receipt, sweep, sweep, passing, die], {
    maxCommands,
    size: 'max',
    ...(FUZZ_REPLAY_PATH !== null && { replayPath: FUZZ_REPLAY_PATH }),
  });
}

async function expectAgreement(world: World, { ledger, account, messages }: Stored): Promise<void> {
  const rows = await ledger.database.query<StoredOrder>(
    `select o.state, o.amount, o.epoch,
            (select json_agg(json_build_object('from', t.from_state, 'to', t.to_state, 'actor', t.actor) order by t.at)
               from order_transition t where t.message_id = o.id) as transitions,
            (select json_object_agg(s.position, s.state) from segment s where s.message_id = o.id) as segments
       from message_order o where o.id = any($1::uuid[]) order by o.sequence`,
    [messages.map(({ id }) => id)],
  );
  const real = rows.map((row) => ({ ...row, transitions: row.transitions ?? [], segments: row.segments ?? {} }));
  expect(real).toEqual(
    world.orders.map((order) => ({
      state: order.state,
      amount: String(order.amount),
      epoch: order.epoch,
      transitions: order.transitions,
      segments: Object.fromEntries([...order.segments].map(([position, { state }]) => [position, state])),
    })),
  );
  const sum = (figure: 'reserved' | 'captured') => world.orders.reduce((total, order) => total + order[figure], 0n);
  expect(await ledger.figures(account)).toMatchObject({ reserved: sum('reserved'), captured: sum('captured') });
}

/** Segments that a receipt can name: answered for, or about to be. */
function named(world: Readonly<World>): { order: number; position: number }[] {
  return world.orders.flatMap(({ segments }, order) =>
    [...segments]
      .filter(([, { state, inDoubtSince }]) => state === 'submitting' || (isTaken(state) && inDoubtSince === undefined))
      .map(([position]) => ({ order, position })),
  );
}

const isTaken = (state: string) => ['accepted', 'delivered', 'undelivered', 'unknown'].includes(state);

/** Lets time pass until no deadline is so near that the two clocks could disagree about it. */
async function settleClock(world: World, stored: Stored): Promise<void> {
  while (world.orders.some((order) => order.isAmbiguousAt(world.now, SLACK_SECONDS))) await pass(world, stored, 16);
}

async function pass(world: World, { ledger, messages }: Stored, seconds: number): Promise<void> {
  world.now += seconds;
  for (const { id } of messages) await ledger.age(id, seconds);
}

/** A carrier gives a segment another id with each submit. */
function nameOf(id: string, position: number, epoch: number): string {
  return `${carrierId(id, position)}-${epoch}`;
}

function orderAt(world: Readonly<World>, index: number): OrderModel {
  const order = world.orders[index];
  if (order === undefined) throw new Error(`there is no order ${index}`);
  return order;
}

function messageAt({ messages }: Stored, index: number): Stored['messages'][number] {
  const message = messages[index];
  if (message === undefined) throw new Error(`there is no message ${index}`);
  return message;
}
