import { setTimeout as delay } from 'node:timers/promises';
import {
  type EndpointProgress,
  type EventCursor,
  endReplay,
  eventIdOf,
  type LeasedEndpoint,
  nextReplay,
} from '#persistence';
import type { DeliveryDependencies } from './delivery-dependencies.js';
import { DeliveryRecord, type Disabling, type SentEvent } from './delivery-record.js';
import { DeliveryWindow } from './delivery-window.js';
import { EventStream } from './event-stream.js';
import { FailingTime } from './failing-time.js';
import { type Answer, Receiver } from './receiver.js';
import { type RepeatedEvent, readDue, readOldest } from './repeated-events.js';

/** Fewer events than this in memory: more are read. */
const QUEUE_LOW = 128;

/** An event in memory. */
type QueuedEvent = SentEvent & { readonly settle?: () => void };

/**
 * Delivers the events of one webhook, apart from all others: it has its own place in the events, its own connections,
 * and its own window. A success writes no row. A failure writes one, and the events behind it go on. When nothing
 * succeeds any more, reading stops, and one event is tried again and again.
 */
export class EndpointDelivery {
  private receiver: Receiver;
  private readonly stream: EventStream;
  private readonly window = new DeliveryWindow();
  private readonly failing: FailingTime;
  private readonly record: DeliveryRecord;
  private replay: { readonly replayId: string; readonly stream: EventStream } | undefined;
  private queue: QueuedEvent[] = [];
  /** The ids of repeated events in memory. */
  private readonly repeated = new Set<string>();
  /** Those that have ended since the last read began: it may have seen their rows. */
  private readonly ended = new Set<string>();
  private requests = 0;
  private isReading = false;
  /** What was in memory is dropped: it is read again from the stored place, once no request is open. */
  private mustRewind = false;
  private disabling: Disabling | undefined;
  private isDisabling = false;
  private isStopped = false;
  private saved = '';
  readonly server: string;

  constructor(
    private settings: LeasedEndpoint,
    private readonly dependencies: DeliveryDependencies,
    private readonly save: (delivery: EndpointDelivery) => Promise<void>,
  ) {
    this.server = settings.server;
    this.receiver = this.receiverOf(settings);
    this.stream = new EventStream(dependencies, settings, settings.cursor);
    this.failing = new FailingTime(settings.failures, settings.failingSince, dependencies.now());
    this.record = new DeliveryRecord(settings.endpointId, dependencies, this.window, this.failing);
  }

  get endpointId(): string {
    return this.settings.endpointId;
  }

  get accountId(): string {
    return this.settings.accountId;
  }

  /** Where the next read begins. */
  get position(): EventCursor {
    return this.mustRewind ? this.stream.cursor : this.stream.position;
  }

  get inFlight(): number {
    return this.requests;
  }

  get isFailing(): boolean {
    return this.failing.isResting;
  }

  /** Whether there may be something to read or to try, apart from what is to be sent again. */
  get hasWork(): boolean {
    return this.isFailing || this.isBehind;
  }

  /** Its account has new events. */
  told(): void {
    this.stream.isBehind = true;
  }

  /** Takes over what its owner has changed. */
  change(settings: LeasedEndpoint): void {
    if (settings.url !== this.settings.url) {
      const before = this.receiver;
      this.receiver = this.receiverOf(settings);
      // Its open requests end there: an answer that was cut off would count as a failure.
      void before.finish().catch(() => undefined);
    }
    this.settings = settings;
  }

  /** Reads and sends, if there is room. `hasRepeats`: events are to be sent again now, or there is a replay. */
  async work(hasRepeats: boolean): Promise<void> {
    if (this.isReading || this.isOver || this.queue.length >= QUEUE_LOW) return;
    this.isReading = true;
    try {
      let isMore = true;
      while (isMore && !this.isOver && this.queue.length < QUEUE_LOW) {
        if (!this.rewound()) return;
        isMore = await this.read(hasRepeats);
        this.pump();
        if (this.queue.length > 0) return;
      }
    } finally {
      // After a fault as well: with so much in memory that no more is read, nobody else would begin to send it.
      this.pump();
      this.isReading = false;
    }
  }

  /** What has changed since the last call. */
  takeProgress(): EndpointProgress | undefined {
    const progress = this.progress();
    // What was read and not sent changes nothing that is stored.
    const text = JSON.stringify({ ...progress, lastBatch: undefined });
    if (text === this.saved) return undefined;
    this.saved = text;
    return progress;
  }

  /** Stores the progress again at the next call. */
  keepProgress(): void {
    this.saved = '';
  }

  /** Reads and sends nothing more; resolves when what was begun has ended, or this time is over. */
  async stop(waitMs: number): Promise<void> {
    this.isStopped = true;
    const untilMs = performance.now() + waitMs;
    while ((this.requests > 0 || this.isReading) && performance.now() < untilMs) await delay(10);
    await this.receiver.close().catch(() => undefined);
  }

  private get isBehind(): boolean {
    return this.mustRewind || this.stream.isBehind || this.replay?.stream.isBehind === true;
  }

  private get isOver(): boolean {
    return this.isStopped || this.isDisabling;
  }

  private progress(): EndpointProgress {
    const { replay, failing, stream, endpointId, server } = this;
    return {
      endpointId,
      server,
      cursor: stream.cursor,
      lastBatch: stream.position.batchId,
      ...failing.standing,
      replay: replay && { replayId: replay.replayId, cursor: replay.stream.cursor },
    };
  }

  /** @returns whether there may be more */
  private async read(hasRepeats: boolean): Promise<boolean> {
    const { database, owner, now } = this.dependencies;
    this.ended.clear();
    if (hasRepeats) {
      const isKnown = (id: string) => this.repeated.has(id) || this.ended.has(id);
      // While it is failing, only what its owner asks for is sent. The others may be many, and wait for days.
      this.repeat(await readDue(this.dependencies, this.settings, this.failing.isResting, isKnown));
    }
    if (this.failing.isResting) {
      if (this.failing.isProbeDue(now()) && this.requests === 0) await this.probe();
      return false;
    }
    if (this.stream.isBehind) await this.readFrom(this.stream, 'event');
    if (hasRepeats && this.replay === undefined) await this.openReplay();
    const { replay } = this;
    if (replay?.stream.isBehind) await this.readFrom(replay.stream, 'replay');
    if (replay?.stream.isBehind === false && replay.stream.isSettled) {
      if (await endReplay(database, owner, this.endpointId, replay.replayId)) this.replay = undefined;
    }
    return this.isBehind;
  }

  private async readFrom(stream: EventStream, kind: 'event' | 'replay'): Promise<void> {
    const events = await stream.next();
    // It began to fail meanwhile: everything is read again later.
    if (this.mustRewind) return;
    for (const event of events) this.queue.push({ kind, attempts: 0, isStored: false, ...event });
  }

  private async openReplay(): Promise<void> {
    const found = await nextReplay(this.dependencies.database, this.endpointId);
    if (found === undefined) return;
    const stream = new EventStream(this.dependencies, this.settings, found.cursor, found.range);
    this.replay = { replayId: found.replayId, stream };
  }

  private repeat(events: readonly RepeatedEvent[]): void {
    for (const event of events) {
      // It may have begun to fail while they were read.
      if (this.failing.isResting && event.kind === 'event') continue;
      const id = eventIdOf(event);
      if (this.repeated.has(id) || this.ended.has(id)) continue;
      this.repeated.add(id);
      this.queue.push(event);
    }
  }

  private async probe(): Promise<void> {
    const [oldest] = await readOldest(this.dependencies, this.settings);
    // What failed is gone: the next event is the probe.
    if (oldest === undefined) this.failing.leaveRest();
    else if (!this.repeated.has(eventIdOf(oldest))) {
      this.repeated.add(eventIdOf(oldest));
      this.failing.probing(this.dependencies.now());
      this.queue.push({ ...oldest, isProbe: true });
    }
  }

  private pump(): void {
    while (!this.isOver && this.queue.length > 0 && this.requests < this.window.limit) {
      const event = this.queue.shift();
      if (event !== undefined) void this.send(event);
    }
    if (!this.isBehind || this.queue.length > 0 || this.isReading) return;
    // A fault shows when it is read again.
    void this.work(this.replay !== undefined).catch(() => undefined);
  }

  private async send(event: QueuedEvent): Promise<void> {
    this.requests += 1;
    const { url, secrets } = this.settings;
    try {
      const answer = await this.receiver.post(eventIdOf(event), event.body, secrets);
      // A request that was cut off says nothing about the receiver.
      if (this.isStopped && answer.httpStatus === undefined) return;
      const isOver = await this.untilStored(() =>
        answer.error === undefined ? this.record.arrived(event, answer) : this.takeFailure(event, answer, url),
      );
      if (!isOver) return;
      event.settle?.();
      this.repeated.delete(eventIdOf(event));
      if (event.isStored) this.ended.add(eventIdOf(event));
      if (this.disabling !== undefined && !this.isOver) await this.disable(this.disabling);
    } finally {
      this.requests -= 1;
      this.pump();
    }
  }

  private async takeFailure(event: QueuedEvent, answer: Answer, url: string): Promise<void> {
    const wasResting = this.failing.isResting;
    this.disabling = (await this.record.failed(event, answer, url)) ?? this.disabling;
    if (this.failing.isResting && !wasResting) this.dropQueue();
  }

  private async disable(disabling: Disabling): Promise<void> {
    this.isDisabling = true;
    // The owner may enable it at once: then it goes on behind the requests that are open now.
    const untilMs = performance.now() + this.dependencies.timeoutMs;
    while (this.requests > 1 && performance.now() < untilMs) await delay(10);
    await this.untilStored(async () => {
      this.isDisabling = await this.record.disable(this.accountId, disabling, () => this.save(this));
    });
    if (!this.isDisabling) this.disabling = undefined;
  }

  private untilStored(work: () => Promise<void>): Promise<boolean> {
    return this.record.untilStored(work, () => this.isStopped);
  }

  /** Nothing succeeds any more: what is in memory is read again later. */
  private dropQueue(): void {
    for (const event of this.queue) this.repeated.delete(eventIdOf(event));
    this.queue = [];
    this.mustRewind = true;
  }

  /** Whether what was dropped is read again; false while requests are open, because they may still succeed. */
  private rewound(): boolean {
    if (!this.mustRewind) return true;
    if (this.requests > 0) return false;
    this.stream.rewind();
    this.replay = undefined;
    this.mustRewind = false;
    return true;
  }

  private receiverOf({ url }: LeasedEndpoint): Receiver {
    return new Receiver(new URL(url), this.dependencies.addresses, this.dependencies.timeoutMs);
  }
}
