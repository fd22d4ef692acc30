import { after } from './after.js';
import { ApiError, ConnectionError, type HeliographError } from './errors.js';

const FIRST_WAIT_MS = 500;
const WAIT_MAX_MS = 8_000;
/** Clients that were refused together come back apart. */
const SPREAD_MS = 250;

/** Whether the same request may do what this one did not. */
export function isWorthRetrying(error: HeliographError, isRepeatable: boolean): boolean {
  if (error instanceof ConnectionError) return isRepeatable;
  if (!(error instanceof ApiError)) return false;
  const { status, code } = error;
  // With these nothing was begun, so that a repeat does nothing twice.
  if (status === 408 || status === 429 || code === 'overloaded') return true;
  return status >= 500 && isRepeatable;
}

/** Milliseconds before the next attempt: not less than the service asked for, else more each time. */
export function waitMsBefore(retry: number, error: HeliographError): number {
  const asked = error instanceof ApiError ? error.retryAfterSeconds : undefined;
  if (asked !== undefined) return asked * 1_000 + Math.random() * SPREAD_MS;
  return Math.min(FIRST_WAIT_MS * 2 ** retry, WAIT_MAX_MS) * (0.5 + Math.random() / 2);
}

/** `Retry-After` in seconds: it is a number of them, or a date. */
export function retryAfterSeconds(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const left = Number.isNaN(seconds) ? (Date.parse(header) - Date.now()) / 1_000 : seconds;
  return Number.isNaN(left) ? undefined : Math.max(0, left);
}

/** Rejects with the reason of the signal. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = after(ms, () => {
      signal?.removeEventListener('abort', end);
      resolve();
    });
    signal?.addEventListener('abort', end, { once: true });
  });
}
