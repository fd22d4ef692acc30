import { Inject, Injectable } from '@nestjs/common';
import { Overloaded } from '#batching';
import { type CallbackSubject, calledUrl, isSignedByProvider, readInboundCallback, readStatusCallback } from '#carrier';
import type { Config } from '#config';
import { Database, isPoison, type OpenCarrier, SecretUnreadable, SettleReceipts, TakeInbound } from '#persistence';
import { type Logger, ReceiptTraces } from '#telemetry';
import { tryAgain } from '#timing';
import { Problem } from '../http/problem.js';
import { CONFIG, LOG } from '../injected.js';
import { GatewayMetrics } from '../operator/gateway-metrics.js';
import { CarrierDirectory } from './carrier-directory.js';

export interface CarrierCallback {
  readonly subject: CallbackSubject;
  /** The carrier's name, from the path. */
  readonly name: string;
  /** As received, without the question mark: it is part of what is signed. */
  readonly query: string;
  readonly signature: string | undefined;
  readonly parameters: URLSearchParams;
}

/** Not every provider calls again after a 503, so the gateway waits for the database for a short time. */
const STORING = { giveUpAfterMs: 4_000, waitMs: 200 };
/** Stored callbacks that are remembered. */
const STORED_MAX = 10_000;
const WARN_EVERY_MS = 10_000;
/** Replaces a name that the caller invented, in logs and metrics. */
const NO_CARRIER = 'unknown';
const NOBODYS_URL = 'https://unknown.invalid';

/** USE CASE: takes a callback, if the carrier's provider has signed it, and stores its receipt or its message. */
@Injectable()
export class TakeCallback {
  private readonly receipts: SettleReceipts;
  private readonly inbound: TakeInbound;
  /**
   * The callbacks that were stored last, by carrier and signature, oldest first. The signature covers no time, so
   * somebody who has seen a callback can repeat it. A receipt that is written twice changes nothing; with this memory
   * it costs the database nothing either.
   */
  private readonly stored = new Set<string>();
  private warnedAtMs = Number.NEGATIVE_INFINITY;
  private failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly carriers: CarrierDirectory,
    private readonly metrics: GatewayMetrics,
    @Inject(LOG) private readonly log: Logger,
    database: Database,
    @Inject(CONFIG) config: Config,
    traces: ReceiptTraces,
  ) {
    this.receipts = new SettleReceipts(database, config.IN_DOUBT_WAIT_SECONDS, {
      metrics,
      write: (_receipts, write) => trying(write),
      stored: (carrier, receipt, tookMs) => traces.note(carrier, receipt, tookMs),
    });
    this.inbound = new TakeInbound(database, config.SENDER, { metrics, write: trying });
  }

  /**
   * Resolves after the receipt or the message is durable, or if there is nothing to store. A call without a signature,
   * with a bad one, or for an unknown carrier gets the same answer for about the same work, so that nobody can find out
   * the carriers' names.
   *
   * @throws Problem `signature_invalid`, `invalid_request`, or `unavailable`: the provider should call again
   */
  async take({ subject, name, query, signature, parameters }: CarrierCallback): Promise<void> {
    if (signature === undefined || signature === '') throw this.refusal(NO_CARRIER, 'unsigned');
    const carrier = callable(await this.available(name, this.carriers.find(name)));
    const url = calledUrl(carrier?.callbackUrl ?? NOBODYS_URL, name, query, subject);
    if (!isSignedByProvider(signature, url, parameters, carrier?.password) || carrier === undefined) {
      throw this.refusal(carrier?.name ?? NO_CARRIER, 'signature');
    }
    const key = `${carrier.carrierId} ${signature}`;
    if (this.stored.has(key)) return;
    const storing = subject === 'status' ? this.settle(carrier, parameters, query) : this.store(carrier, parameters);
    if (storing === undefined) {
      this.metrics.callbacksRefused.inc({ carrier: name, reason: 'unreadable' });
      throw new Problem('invalid_request', 'The callback names no message.');
    }
    await this.available(name, storing);
    this.stored.add(key);
    if (this.stored.size > STORED_MAX) this.stored.delete(this.stored.values().next().value ?? '');
  }

  private settle(carrier: OpenCarrier, parameters: URLSearchParams, query: string): Promise<void> | undefined {
    const receipt = readStatusCallback(parameters, query, carrier.options);
    return receipt && this.receipts.settle(carrier, receipt);
  }

  private store(carrier: OpenCarrier, parameters: URLSearchParams): Promise<void> | undefined {
    const message = readInboundCallback(parameters, carrier.options);
    return message && this.inbound.take(carrier, message);
  }

  /**
   * A wrong callbackUrl or token looks the same as a forged call; the operator must learn of it, but not once for each
   * call.
   */
  private refusal(carrier: string, reason: 'unsigned' | 'signature'): Problem {
    this.metrics.callbacksRefused.inc({ carrier, reason });
    const nowMs = performance.now();
    if (nowMs - this.warnedAtMs >= WARN_EVERY_MS) {
      this.warnedAtMs = nowMs;
      this.log.warn(
        { carrier, reason },
        "a callback was refused; if it is the provider's, check the carrier's callbackUrl and token",
      );
    }
    return new Problem('signature_invalid', 'The X-Twilio-Signature header does not fit this call.');
  }

  /** A receipt that cannot be stored now is refused, so that the provider keeps it. */
  private async available<Result>(carrier: string, work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof Overloaded) throw error;
      this.tellFailure(carrier, error);
      const isUnreadable = error instanceof SecretUnreadable;
      if (!isUnreadable && isPoison(error)) throw error;
      const detail = isUnreadable
        ? 'The signature cannot be checked now. Call again.'
        : 'The database did not answer in time. Call again.';
      throw new Problem('unavailable', detail, { headers: { 'retry-after': '1' } });
    }
  }

  /** Anybody can call while the database is away, so not every call is logged. */
  private tellFailure(carrier: string, error: unknown): void {
    const nowMs = performance.now();
    if (nowMs - this.failedAtMs < WARN_EVERY_MS) return;
    this.failedAtMs = nowMs;
    if (error instanceof SecretUnreadable) {
      this.log.error({ carrier }, `callbacks of carrier ${carrier} cannot be checked: ${error.message}`);
    } else this.log.error({ carrier, err: error }, 'a callback was not stored; the provider keeps it');
  }
}

/** The provider numbers its messages, so to write a receipt or a message twice changes nothing. */
function trying<Result>(write: () => Promise<Result>): Promise<Result> {
  return tryAgain(write, (error) => !isPoison(error), STORING);
}

type CallableCarrier = OpenCarrier & { readonly callbackUrl: string };

/** The carrier, if its provider may call. */
function callable(carrier: OpenCarrier | undefined): CallableCarrier | undefined {
  const callbackUrl = carrier?.protocol === 'http' ? carrier.options.callbackUrl : undefined;
  return carrier !== undefined && typeof callbackUrl === 'string' ? { ...carrier, callbackUrl } : undefined;
}
