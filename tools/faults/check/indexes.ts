import type { Micros } from '#billing';
import type { TakenSegment } from '../history/carrier-log.js';
import { acceptedAttempt, type SendStory } from '../history/history.js';
import type { Evidence, StoredOrder, StoredSegment, StoredTransition, Violation } from './evidence.js';

/** The evidence by the keys under which every check looks things up. */
export class Indexes {
  readonly ordersById: ReadonlyMap<string, StoredOrder>;
  readonly ordersByName: ReadonlyMap<string, readonly StoredOrder[]>;
  readonly storyByName: ReadonlyMap<string, SendStory>;
  readonly segmentsByOrder: ReadonlyMap<string, readonly StoredSegment[]>;
  readonly transitionsByOrder: ReadonlyMap<string, readonly StoredTransition[]>;
  /** What the carrier took of a message, by its name. */
  readonly takenByName: ReadonlyMap<string, readonly TakenSegment[]>;
  readonly takenByCarrierId: ReadonlyMap<string, TakenSegment>;

  constructor(readonly evidence: Evidence) {
    const { orders, segments, transitions, carrier, history } = evidence;
    this.ordersById = new Map(orders.map((order) => [order.id, order]));
    this.ordersByName = groupedBy(orders, ({ name }) => name);
    this.segmentsByOrder = groupedBy(segments, ({ orderId }) => orderId);
    this.transitionsByOrder = groupedBy(transitions, ({ orderId }) => orderId);
    this.takenByName = groupedBy(carrier.taken, ({ name }) => name ?? '');
    this.takenByCarrierId = new Map(carrier.taken.map((segment) => [segment.carrierMessageId, segment]));
    this.storyByName = new Map(
      [...history.sends.values()].flatMap((story) => story.sent.messages.map(({ name }) => [name, story] as const)),
    );
  }

  /**
   * How many different segments of a message the carrier took; one that stands alone and has its whole text is all of
   * them.
   */
  distinctTaken(name: string): number {
    const taken = this.takenByName.get(name) ?? [];
    const [order] = this.ordersByName.get(name) ?? [];
    const isWhole = ({ total, text }: TakenSegment) =>
      total === undefined && (order?.message === '' || text === order?.message);
    return order !== undefined && taken.some(isWhole) ? order.segments : this.distinctPieces(name);
  }

  /** What a segment of a message costs, by the answer that its client got; else by what is stored. */
  segmentPrice(order: StoredOrder): Micros {
    const story = this.storyByName.get(order.name);
    const index = story?.sent.messages.findIndex(({ name }) => name === order.name) ?? -1;
    const told = story && acceptedAttempt(story)?.amounts?.[index];
    if (told === undefined) return order.price / BigInt(order.segments);
    return BigInt(told) / BigInt(story?.sent.messages[index]?.segments ?? 1);
  }

  /** How many different submits those were: a message in one piece is one. */
  distinctPieces(name: string): number {
    return new Set(this.takenByName.get(name)?.map(({ position, total }) => (total === undefined ? 0 : position))).size;
  }

  segmentOf(name: string, position: number | undefined): StoredSegment | undefined {
    const [order] = this.ordersByName.get(name) ?? [];
    return this.segmentsByOrder.get(order?.id ?? '')?.find((segment) => segment.position === position);
  }

  /** @param names of the messages that show it */
  violation(invariant: string, says: string, ...names: readonly string[]): Violation {
    return { invariant, says, lines: names.flatMap((name) => this.linesOf(name)) };
  }

  /** @param says what is wrong with it, after its name */
  violationOf({ id, name }: StoredOrder, invariant: string, says: string): Violation {
    return this.violation(invariant, `${name}, order ${id}, ${says}`, name);
  }

  /** All that is known of a message, for whoever has to find out what happened. */
  private linesOf(name: string): string[] {
    const story = this.storyByName.get(name);
    const orders = this.ordersByName.get(name) ?? [];
    return [
      ...(story === undefined ? [] : [line(story.sent), ...story.attempts.map(line)]),
      ...orders.flatMap((order) => [
        `order ${line(order)}`,
        ...(this.segmentsByOrder.get(order.id) ?? []).map((segment) => `segment ${line(segment)}`),
        `transitions ${(this.transitionsByOrder.get(order.id) ?? []).map(({ from, to }) => `${from}>${to}`).join(' ')}`,
      ]),
      ...(this.takenByName.get(name) ?? []).map((taken) => `carrier took ${line(taken)}`),
    ];
  }
}

export function groupedBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function line(value: object): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? part.toString() : part));
}
