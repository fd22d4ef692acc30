import { ANY_CARRIER, type Database, inFlightCaps, waitingTurns } from '#persistence';
import type { CarrierPool } from '../carriers/carrier-pool.js';
import type { PutInBacklog } from './put-in-backlog.js';
import type { SlotLines } from './slot-lines.js';
import { TurnScope } from './turn-scope.js';
import { type TurnMeans, TurnTaker } from './turn-taker.js';

/** How often a worker looks for itself who waits for a turn; the queue tells it sooner. */
const LOOK_EVERY_MS = 500;
const CAPS_EVERY_MS = 5_000;

/** The turns that this worker takes, in every scope in which somebody waits for one. */
export class Turns {
  private readonly takers = new Map<number, TurnTaker>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private isStopped = false;
  private nextCapsMs = 0;

  constructor(
    private readonly database: Database,
    private readonly carriers: CarrierPool,
    private readonly lines: SlotLines,
    private readonly backlog: PutInBacklog,
    private readonly means: TurnMeans,
  ) {
    backlog.onPut = (carrierId) => this.wake(carrierId);
  }

  start(): void {
    this.timer = setTimeout(() => {
      this.looking = this.look().catch(this.means.onFault);
      void this.looking.then(() => {
        if (!this.isStopped) this.start();
      });
    }, LOOK_EVERY_MS);
  }

  /** Somebody may wait for a turn. */
  wake(carrierId = ANY_CARRIER): void {
    if (!this.isStopped) void this.taker(carrierId).take();
  }

  /** An operator has changed accounts: their caps are read at the next look. */
  forgetCaps(): void {
    this.nextCapsMs = 0;
  }

  /** Gives back what is not handed to a carrier yet, and waits so long for what is; what is left is freed by another worker. */
  async stop(waitMaxMs: number): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    // They have to know before their lines send them away.
    const stopped = [...this.takers.values()].map((taker) => taker.stop());
    this.lines.close();
    let timer: NodeJS.Timeout | undefined;
    const bound = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, waitMaxMs);
    });
    await Promise.race([Promise.all([this.looking, ...stopped]), bound]);
    clearTimeout(timer);
  }

  private async look(): Promise<void> {
    if (performance.now() >= this.nextCapsMs) {
      this.nextCapsMs = performance.now() + CAPS_EVERY_MS;
      this.means.inFlight.setCaps(await inFlightCaps(this.database));
    }
    const { carrierIds, empty } = await waitingTurns(this.database, this.backlog.spilledPlaces);
    this.backlog.forgetSpilled(empty);
    await Promise.all([...this.takers.values()].map((taker) => taker.report()));
    for (const carrierId of carrierIds) this.wake(carrierId);
  }

  private taker(carrierId: number): TurnTaker {
    const known = this.takers.get(carrierId);
    if (known !== undefined) return known;
    const taker = new TurnTaker(new TurnScope(carrierId, this.carriers, this.lines), this.means);
    this.takers.set(carrierId, taker);
    return taker;
  }
}
