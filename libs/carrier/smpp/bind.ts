import type { BindState, BindStatus } from '../carrier.js';
import { nextAttemptInMs } from '../next-attempt.js';
import type { SubmitSlots } from '../pace/submit-slots.js';
import { rotatedLookup } from './rotated-lookup.js';
import { SmppSession } from './session.js';
import type { BindRole, SessionDependencies, SessionEnd } from './session-dependencies.js';

const UNBIND_TIMEOUT_MS = 2_000;
/**
 * A bind that stayed up for this many times the shortest back-off was good: the next attempt starts without back-off.
 */
const STABLE_BACKOFFS = 5;
const TICKS_PER_TIMEOUT = 10;
const TICK_MIN_MS = 5;
const TICK_MAX_MS = 250;

export interface BindDependencies extends Omit<SessionDependencies, 'role' | 'onBound' | 'onEnd' | 'onProgress'> {
  readonly random: () => number;
  readonly slots: SubmitSlots;
  readonly onStateChange?: ((state: BindState) => void) | undefined;
  /** Called with the reason each time the bind goes down. */
  readonly onFault?: ((reason: string) => void) | undefined;
}

/**
 * Keeps one bind up until it is closed: a new session for every attempt, after longer and longer waits, each with a
 * random part.
 */
export class SmppBind {
  private currentState: BindState = 'down';
  private session: SmppSession | undefined;
  /** It may have ended before its receipts are stored. */
  private lastSession: SmppSession | undefined;
  private timer: NodeJS.Timeout | undefined;
  private attempts = 0;
  private addressTurn = 0;
  private nextAttemptAtMs = 0;
  private boundAtMs: number | undefined;
  private boundSince: Date | undefined;
  private closed: Promise<void> | undefined;
  private closing: { deadlineMs: number; unbindDeadlineMs?: number; closed: () => void } | undefined;

  constructor(
    private readonly role: BindRole,
    private readonly dependencies: BindDependencies,
  ) {}

  get state(): BindState {
    return this.currentState;
  }

  get status(): BindStatus {
    const slotsInUse = this.session?.slotsInUse ?? 0;
    return { role: this.role, state: this.currentState, boundSince: this.boundSince, slotsInUse };
  }

  start(): void {
    if (this.timer !== undefined || this.closing !== undefined) return;
    const { connectTimeoutMs, responseTimeoutMs, enquireLinkIntervalMs, enquireLinkTimeoutMs, reconnectMinMs } =
      this.dependencies.settings;
    const shortestMs = Math.min(
      connectTimeoutMs,
      responseTimeoutMs,
      enquireLinkIntervalMs,
      enquireLinkTimeoutMs,
      reconnectMinMs,
    );
    const tickMs = Math.min(TICK_MAX_MS, Math.max(TICK_MIN_MS, shortestMs / TICKS_PER_TIMEOUT));
    // After the process has stood still, responses wait in the socket. They are read before anything has a look.
    this.timer = setInterval(() => setImmediate(() => this.tick()), tickMs);
    this.connect();
  }

  /**
   * Waits for outstanding responses and receipts up to `graceMs`, unbinds, and closes at most two seconds later.
   * Submits without a response by then are in doubt. A second call can only shorten the wait.
   */
  close(graceMs: number): Promise<void> {
    const deadlineMs = this.dependencies.now() + graceMs;
    if (this.closing !== undefined) this.closing.deadlineMs = Math.min(this.closing.deadlineMs, deadlineMs);
    this.continueClosing();
    this.closed ??= this.end(deadlineMs);
    return this.closed;
  }

  private async end(deadlineMs: number): Promise<void> {
    const ended = new Promise<void>((closed) => {
      this.closing = { deadlineMs, closed };
    });
    if (this.session !== undefined) {
      this.dependencies.slots.retire(this.session);
      this.changeState('closing');
    }
    this.continueClosing();
    await ended;
    clearInterval(this.timer);
    this.changeState('down');
  }

  private connect(): void {
    this.changeState('connecting');
    const session: SmppSession = new SmppSession({
      ...this.dependencies,
      role: this.role,
      lookup: rotatedLookup(this.dependencies.lookup, this.addressTurn++),
      onBound: () => this.bound(session),
      onEnd: (end) => this.ended(session, end),
      onProgress: () => this.continueClosing(),
    });
    this.session = session;
    this.lastSession = session;
  }

  private bound(session: SmppSession): void {
    this.boundAtMs = this.dependencies.now();
    this.boundSince = new Date();
    if (this.dependencies.settings.tlsInsecure) {
      this.dependencies.log.warn(this.fields(), 'the certificate of the carrier is not verified (tlsInsecure)');
    }
    this.dependencies.log.info(this.fields(), 'bound');
    this.changeState('bound');
    if (this.role !== 'receiver') this.dependencies.slots.open(session);
  }

  private ended(session: SmppSession, end: SessionEnd): void {
    const heldMs = this.boundAtMs === undefined ? 0 : this.dependencies.now() - this.boundAtMs;
    this.boundAtMs = undefined;
    this.boundSince = undefined;
    this.session = undefined;
    this.dependencies.slots.retire(session);
    this.dependencies.slots.progress();
    if (this.closing === undefined) this.retryLater(end, heldMs);
    else this.continueClosing();
  }

  private retryLater(end: SessionEnd, heldMs: number): void {
    const { reconnectMinMs: minMs, reconnectMaxMs: maxMs } = this.dependencies.settings;
    if (heldMs >= minMs * STABLE_BACKOFFS) this.attempts = 0;
    this.attempts += 1;
    const delayMs = nextAttemptInMs({ minMs, maxMs }, this.attempts, end.needsOperator, this.dependencies.random);
    this.nextAttemptAtMs = this.dependencies.now() + delayMs;
    const fields = { ...this.fields(), reason: end.reason, retryInMs: delayMs };
    if (end.needsOperator) this.dependencies.log.error(fields, 'the carrier refuses the bind: check user and password');
    else this.dependencies.log.warn(fields, 'the bind is down');
    this.dependencies.onFault?.(this.role === 'transceiver' ? end.reason : `${this.role}: ${end.reason}`);
    this.changeState('down');
  }

  private tick(): void {
    const nowMs = this.dependencies.now();
    this.session?.tick(nowMs);
    this.dependencies.slots.progress();
    if (this.closing !== undefined) this.continueClosing();
    else if (this.session === undefined && nowMs >= this.nextAttemptAtMs) this.connect();
  }

  private continueClosing(): void {
    const { closing, session } = this;
    if (closing === undefined) return;
    const nowMs = this.dependencies.now();
    const receipts = this.lastSession?.deliveriesOutstanding ?? 0;
    // Receipts that were read must be stored before the bind counts as closed.
    const isOver = receipts === 0 || nowMs >= closing.deadlineMs;
    if (session === undefined) {
      if (isOver) closing.closed();
      return;
    }
    const isIdle = session.submits.outstanding + receipts === 0 && !this.dependencies.slots.isInUse(session);
    if (closing.unbindDeadlineMs !== undefined) {
      if (nowMs >= closing.unbindDeadlineMs && isOver) session.end('closed');
    } else if (isIdle || nowMs >= closing.deadlineMs) {
      closing.unbindDeadlineMs = nowMs + UNBIND_TIMEOUT_MS;
      session.unbind();
    }
  }

  private changeState(state: BindState): void {
    if (this.currentState === state) return;
    this.currentState = state;
    this.dependencies.onStateChange?.(state);
  }

  private fields(): object {
    const { name, host, port } = this.dependencies.settings;
    return { carrier: name, bind: this.role, host, port };
  }
}
