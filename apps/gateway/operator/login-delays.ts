/** Wrong passwords that may be typing errors. */
const FREE_FAILURES = 10;
const DELAY_MIN_MS = 1_000;
const DELAY_MAX_MS = 60_000;
/** After this long without a wrong password, an address starts again. */
const FORGOTTEN_AFTER_MS = 10 * 60_000;
const ADDRESSES_MAX = 10_000;

interface Failures {
  readonly count: number;
  readonly lastMs: number;
  readonly notBeforeMs: number;
}

/**
 * A growing delay for each address that sends wrong passwords. During the delay the gateway checks no password from
 * there, not even the right one: otherwise guessing would go on at full speed. Other addresses are not delayed.
 */
export class LoginDelays {
  /** The address with the oldest failure comes first. */
  private readonly failures = new Map<string, Failures>();

  /** Milliseconds until a password from this address is checked. */
  waitMs(address: string, nowMs = performance.now()): number {
    return Math.max(0, (this.failures.get(address)?.notBeforeMs ?? 0) - nowMs);
  }

  /** @returns wrong passwords in a row from this address */
  failed(address: string, nowMs = performance.now()): number {
    const before = this.failures.get(address);
    const isRecent = before !== undefined && nowMs - before.lastMs < FORGOTTEN_AFTER_MS;
    const count = (isRecent ? before.count : 0) + 1;
    const delayMs =
      count <= FREE_FAILURES ? 0 : Math.min(DELAY_MAX_MS, DELAY_MIN_MS * 2 ** (count - FREE_FAILURES - 1));
    this.failures.delete(address);
    if (this.failures.size >= ADDRESSES_MAX) {
      const [oldest = ''] = this.failures.keys();
      this.failures.delete(oldest);
    }
    this.failures.set(address, { count, lastMs: nowMs, notBeforeMs: nowMs + delayMs });
    return count;
  }

  succeeded(address: string): void {
    this.failures.delete(address);
  }
}
