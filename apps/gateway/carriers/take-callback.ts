import { calledUrl, isSignedByProvider, readStatusCallback } from '#carrier';
import { failureKind, Overloaded } from '#persistence';
import type { Logger } from '#telemetry';
import { Problem } from '../http/problem.js';
import type { GatewayMetrics } from '../operator/gateway-metrics.js';
import type { CarrierDirectory } from './carrier-directory.js';
import type { SettleCallbacks } from './settle-callbacks.js';

export interface StatusCallback {
  /** Of the carrier, as the path has it. */
  readonly name: string;
  /** Without the question mark, as it came: it is part of what is signed. */
  readonly query: string;
  readonly signature: string | undefined;
  readonly parameters: URLSearchParams;
}

const WARN_EVERY_MS = 10_000;

/** USE CASE: takes a status callback of a carrier's provider, if it is really the provider's, and stores its receipt. */
export class TakeCallback {
  private warnedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly carriers: CarrierDirectory,
    private readonly receipts: SettleCallbacks,
    private readonly metrics: GatewayMetrics,
    private readonly log: Logger,
  ) {}

  /**
   * Resolves once the receipt is durable, or nothing is to be stored.
   *
   * @throws Problem `not_found`, `signature_invalid`, `invalid_request`, or `unavailable`: the provider should call again
   */
  async take({ name, query, signature, parameters }: StatusCallback): Promise<void> {
    const carrier = await this.available(name, this.carriers.find(name));
    const callbackUrl = carrier?.protocol === 'http' ? carrier.options.callbackUrl : undefined;
    if (carrier === undefined || typeof callbackUrl !== 'string') {
      throw new Problem('not_found', 'No carrier of this name takes callbacks.');
    }
    if (!isSignedByProvider(signature, calledUrl(callbackUrl, name, query), parameters, carrier.password)) {
      this.refuse(name, signature === undefined ? 'unsigned' : 'signature');
      throw new Problem('signature_invalid', 'The X-Twilio-Signature header does not fit this call.');
    }
    const receipt = readStatusCallback(parameters, query);
    if (receipt === undefined) {
      this.metrics.callbacksRefused.inc({ carrier: name, reason: 'unreadable' });
      throw new Problem('invalid_request', 'The callback names no message.');
    }
    await this.available(name, this.receipts.settle(carrier, receipt));
  }

  /** A wrong callbackUrl or token looks the same as a forger; the operator has to hear of it, not for each call. */
  private refuse(carrier: string, reason: 'unsigned' | 'signature'): void {
    this.metrics.callbacksRefused.inc({ carrier, reason });
    const nowMs = performance.now();
    if (nowMs - this.warnedAtMs < WARN_EVERY_MS) return;
    this.warnedAtMs = nowMs;
    this.log.warn(
      { carrier, reason },
      "a status callback was refused; if it is the provider's, check the carrier's callbackUrl and token",
    );
  }

  /** What cannot be stored now is not taken: the provider keeps it. */
  private async available<Result>(carrier: string, work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof Overloaded) throw error;
      this.log.error({ carrier, err: error }, 'a receipt was not stored; the provider keeps it');
      if (failureKind(error) === 'poison') throw error;
      throw new Problem('unavailable', 'The database did not answer in time. Call again.', {
        headers: { 'retry-after': '1' },
      });
    }
  }
}
