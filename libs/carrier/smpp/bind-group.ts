import type { BindState, BindStatus } from '../carrier.js';
import { type BindDependencies, SmppBind } from './bind.js';
import type { BindRole } from './session-dependencies.js';
import { SETTING_RULES } from './setting-rules.js';

/** A transceiver, or a transmitter with its receiver. */
interface Member {
  readonly submitting: SmppBind;
  readonly all: readonly SmppBind[];
}

const BEST_FIRST: readonly BindState[] = ['bound', 'connecting', 'closing', 'down'];

/** The binds of one carrier: as many as its settings say, or as `resize` says. */
export class BindGroup {
  private members: readonly Member[];
  private readonly leaving = new Map<Member, Promise<void>>();
  private isStarted = false;
  private closed: Promise<void> | undefined;
  private lastState: BindState = 'down';

  /** @param dependencies `onStateChange` is called when the state of the best bind changes */
  constructor(private readonly dependencies: BindDependencies) {
    this.members = Array.from({ length: dependencies.settings.binds }, () => this.createMember());
  }

  /**
   * The state of the best submitting bind. Without its receiver a carrier still takes messages, and keeps the receipts.
   */
  get state(): BindState {
    const states = new Set([...this.members, ...this.leaving.keys()].map(({ submitting }) => submitting.state));
    return BEST_FIRST.find((state) => states.has(state)) ?? 'down';
  }

  /** Every bind, also those that are being closed. */
  get statuses(): readonly BindStatus[] {
    return [...this.members, ...this.leaving.keys()].flatMap(({ all }) => all.map(({ status }) => status));
  }

  start(): void {
    this.isStarted = true;
    for (const { all } of this.members) for (const bind of all) bind.start();
  }

  /**
   * Holds this many binds from now on. Resolves when the surplus binds are closed.
   *
   * @throws RangeError when the count is not a whole number of 0 or more
   */
  async resize(count: number): Promise<void> {
    const fault = SETTING_RULES.binds(count);
    if (fault !== undefined) throw new RangeError(`carrier ${this.dependencies.settings.name}: binds ${fault}`);
    if (this.closed === undefined) {
      // Closes binds that are not up first, because nothing is lost with them.
      const worstLast = [...this.members].sort(
        (one, other) => BEST_FIRST.indexOf(one.submitting.state) - BEST_FIRST.indexOf(other.submitting.state),
      );
      const added = Array.from({ length: count - this.members.length }, () => this.createMember());
      this.members = [...worstLast.slice(0, count), ...added];
      for (const surplus of worstLast.slice(count)) this.letGo(surplus);
      if (this.isStarted) for (const { all } of added) for (const bind of all) bind.start();
      this.noteState();
    }
    await Promise.all(this.leaving.values());
  }

  close(graceMs: number): Promise<void> {
    const binds = [...this.members, ...this.leaving.keys()].flatMap(({ all }) => all);
    const closed = Promise.all(binds.map((bind) => bind.close(graceMs))).then(() => undefined);
    this.closed ??= closed;
    return this.closed;
  }

  private letGo(member: Member): void {
    const graceMs = this.dependencies.settings.responseTimeoutMs;
    // The receiver stays as long as its transmitter, because it may bring the receipts of its submits.
    const gone = (async () => {
      await member.submitting.close(graceMs);
      await Promise.all(member.all.map((bind) => bind.close(0)));
      this.leaving.delete(member);
      this.noteState();
    })();
    this.leaving.set(member, gone);
  }

  private createMember(): Member {
    if (this.dependencies.settings.bindMode === 'transceiver') {
      const transceiver = this.createBind('transceiver');
      return { submitting: transceiver, all: [transceiver] };
    }
    const transmitter = this.createBind('transmitter');
    return { submitting: transmitter, all: [transmitter, this.createBind('receiver')] };
  }

  private createBind(role: BindRole): SmppBind {
    return new SmppBind(role, { ...this.dependencies, onStateChange: () => this.noteState() });
  }

  private noteState(): void {
    const { state } = this;
    if (state === this.lastState) return;
    this.lastState = state;
    this.dependencies.onStateChange?.(state);
  }
}
