import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Database, shareVelocity, type VelocityShare } from '#persistence';
import { PeriodicWork } from '#timing';
import { CountSketch } from './count-sketch.js';

const HOUR_MS = 3_600_000;
const ASK_EVERY_MS = 60_000;
const RETRY_MS = 1_000;

/** What came of messages to one key. */
export interface Taken {
  readonly key: string;
  /** Of the messages in their request. */
  readonly places: readonly number[];
  /** Counted by this gateway. */
  readonly here: number;
  /** To be counted by the database, which may have this many of the hour in all. */
  readonly there: number;
  readonly thereMax: number;
  /** Of all gateways, in an hour. */
  readonly max: number;
  /** The hour in which they were counted. */
  readonly hourMs: number;
}

/**
 * Counts the messages of an hour to each number and range of numbers. The half of a limit is shared equally by the
 * gateways that count by themselves, so that most messages cost the database nothing; the rest is counted in the
 * commit. All together never admit more than the limit, whatever gateways come and go (`share_velocity()`). One gateway
 * alone admits exactly the limit; beside others a number may be refused from the half on.
 */
@Injectable()
export class VelocityCounts implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly gatewayId = randomUUID();
  private readonly asks = new PeriodicWork(
    ASK_EVERY_MS,
    () => this.ask(),
    // Without an answer the database counts.
    () => undefined,
  );
  private share: VelocityShare | undefined;
  /** What `performance.now()` was at `share.nowMs`, or earlier. */
  private askedMs = 0;
  private counts: CountSketch | undefined;
  private countsHourMs = 0;
  private isAsking = false;

  constructor(private readonly database: Database) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.ask().catch(() => undefined);
    this.asks.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.asks.stop();
  }

  /** Takes the messages at these places to a key, of which an account may have `max` in an hour. */
  take(key: string, places: readonly number[], max: number): Taken {
    const share = this.shareNow();
    const half = Math.floor(max / 2);
    // While the gateways that count are not known, they are taken to have used their half.
    const shared = share === undefined ? half : share.holders * Math.floor(half / Math.max(1, share.holders));
    const own = share?.holds === true ? Math.floor(half / share.holders) : 0;
    const thereMax = max - shared;
    const hourMs = this.countsHourMs;
    if (own === 0) return { key, places, here: 0, there: places.length, thereMax, max, hourMs };
    this.counts ??= new CountSketch();
    const here = this.counts.take(key, places.length, own);
    return { key, places, here, there: places.length - here, thereMax, max, hourMs };
  }

  /** The messages were refused for another reason. Where their hour is over, nothing counts them any more. */
  giveBack(taken: readonly Taken[]): void {
    if (this.shareNow() === undefined) return;
    for (const { key, here, hourMs } of taken) {
      if (here > 0 && hourMs === this.countsHourMs) this.counts?.giveBack(key, here);
    }
  }

  /** When the hour ends, by the database's clock. */
  get restOfHourMs(): number {
    const { nowMs } = this;
    return HOUR_MS - (nowMs % HOUR_MS);
  }

  private get nowMs(): number {
    return this.share === undefined ? Date.now() : this.share.nowMs + performance.now() - this.askedMs;
  }

  /** Of this hour; undefined while it is not known. */
  private shareNow(): VelocityShare | undefined {
    const { share } = this;
    if (share === undefined) return undefined;
    if (this.nowMs >= share.hourMs + HOUR_MS) {
      if (!this.isAsking) this.askSoon();
      return undefined;
    }
    if (this.countsHourMs !== share.hourMs) {
      this.counts?.clear();
      this.countsHourMs = share.hourMs;
    }
    return share;
  }

  private askSoon(): void {
    this.isAsking = true;
    const done = () => {
      this.isAsking = false;
    };
    this.ask().then(done, () => setTimeout(done, RETRY_MS).unref());
  }

  private async ask(): Promise<undefined> {
    const askedMs = performance.now();
    const share = await shareVelocity(this.database, this.gatewayId);
    this.askedMs = askedMs;
    this.share = share;
  }
}
