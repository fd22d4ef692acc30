import type { BindState } from '../carrier.js';
import type { CarrierLog } from '../carrier-log.js';
import { nextAttemptInMs } from '../next-attempt.js';
import type { CompleteHttpSettings } from './settings.js';

/**
 * Faults in a row (no answer, or a failing server) after which the provider is left alone, because each may be a
 * message that is sent twice later.
 */
const FAULTS_IN_A_ROW_MAX = 3;

export interface ReachabilityDependencies {
  readonly settings: CompleteHttpSettings;
  readonly log: CarrierLog;
  readonly now: () => number;
  readonly random: () => number;
  probe(): Promise<{ readonly isReached: true } | { readonly isReached: false; readonly reason: string }>;
  onStateChange(state: BindState): void;
  /** Called with the reason, once each time the provider is left alone. */
  onFault(reason: string): void;
}

/**
 * Whether requests may go to the provider. There is no lasting bind, so `bound` means that the provider was reached and
 * may be asked. After a fault it is left alone for a while, longer each time. Then it must be reachable. After faults
 * that a connection cannot show (the account, a failing server), one request at a time goes out until one succeeds.
 */
export class Reachability {
  private current: BindState = 'down';
  private isOnTrial = false;
  private timer: NodeJS.Timeout | undefined;
  private attempts = 0;
  private faultsInARow = 0;
  private downAtMs = Number.NEGATIVE_INFINITY;
  private isClosed = false;

  constructor(private readonly dependencies: ReachabilityDependencies) {}

  get state(): BindState {
    return this.current;
  }

  /** Requests that may be in flight at once. */
  get requestsMax(): number {
    if (this.current !== 'bound') return 0;
    return this.isOnTrial ? 1 : this.dependencies.settings.windowSize;
  }

  start(): void {
    if (this.current === 'down' && this.timer === undefined && !this.isClosed) void this.connect(false);
  }

  /** The provider answered a request properly, also if it refused the message. */
  worked(): void {
    this.faultsInARow = 0;
    if (this.isClosed || this.current === 'down') return;
    this.attempts = 0;
    this.isOnTrial = false;
    this.change('bound');
  }

  /** A request got no connection. */
  unreachable(submittedAtMs: number, reason: string): void {
    if (!this.isNews(submittedAtMs)) return;
    this.goDown({ reason, needsOperator: false, needsTrial: this.isOnTrial });
  }

  /** A request got no answer, or the answer of a failing server. */
  faulty(submittedAtMs: number, reason: string): void {
    if (!this.isNews(submittedAtMs)) return;
    this.faultsInARow += 1;
    if (this.isOnTrial || this.faultsInARow >= FAULTS_IN_A_ROW_MAX) {
      this.goDown({ reason, needsOperator: false, needsTrial: true });
    }
  }

  /** The provider refuses our account, whatever the message. */
  accountRefused(submittedAtMs: number, code: string): void {
    if (this.isNews(submittedAtMs)) this.goDown({ reason: code, needsOperator: true, needsTrial: true });
  }

  closing(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.change('closing');
  }

  closed(): void {
    this.change('down');
  }

  /** The result of a request that began before the last fault belongs to that fault. */
  private isNews(submittedAtMs: number): boolean {
    return !this.isClosed && this.current !== 'down' && submittedAtMs >= this.downAtMs;
  }

  private goDown(end: { reason: string; needsOperator: boolean; needsTrial: boolean }): void {
    const { settings, log, now, random } = this.dependencies;
    this.attempts += 1;
    this.faultsInARow = 0;
    this.downAtMs = now();
    const { name: carrier, host, port, retryMinMs: minMs, retryMaxMs: maxMs } = settings;
    const delayMs = nextAttemptInMs({ minMs, maxMs }, this.attempts, end.needsOperator, random);
    const fields = { carrier, host, port, reason: end.reason, retryInMs: delayMs };
    const fault = end.needsOperator ? 'the provider refuses the account or its settings' : 'the provider is down';
    if (end.needsOperator) log.error(fields, `${fault}: check the account SID, the token, the address and the sender`);
    else log.warn(fields, fault);
    this.dependencies.onFault(`${fault}: ${end.reason}`);
    this.isOnTrial = false;
    this.change('down');
    this.timer = setTimeout(() => void this.connect(end.needsTrial), delayMs);
  }

  private async connect(needsTrial: boolean): Promise<void> {
    this.timer = undefined;
    this.change('connecting');
    const reached = await this.dependencies.probe();
    if (this.isClosed || this.current !== 'connecting') return;
    if (!reached.isReached) {
      this.goDown({ reason: reached.reason, needsOperator: false, needsTrial });
      return;
    }
    this.isOnTrial = needsTrial;
    if (!needsTrial) this.attempts = 0;
    this.dependencies.log.info({ carrier: this.dependencies.settings.name }, 'the provider is reachable');
    this.change('bound');
  }

  private change(state: BindState): void {
    if (this.current === state) return;
    this.current = state;
    this.dependencies.onStateChange(state);
  }
}
