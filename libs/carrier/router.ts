/** A carrier that a route allows. */
export interface RouteTarget {
  readonly carrierId: number;
  /** 1 is tried first; the next rank only if no carrier of the lower ranks takes messages. */
  readonly rank: number;
  /** Its share of the messages among the carriers of its rank. */
  readonly weight: number;
  /** The carrier's price of a segment, in micro-units of the currency; it does not influence the choice. */
  readonly cost?: { readonly amount: bigint; readonly currency: string } | undefined;
  /** It takes no message any more. */
  readonly isCarrierRemoved?: boolean;
}

/**
 * One row of the operator's routes: a carrier for the numbers that begin with a prefix. The empty prefix is every
 * number.
 */
export interface RouteEntry extends RouteTarget {
  readonly prefix: string;
}

interface FoundRoute {
  readonly prefix: string;
  readonly targets: readonly RouteTarget[];
}

/**
 * Whether a carrier can take a new message now.
 *
 * - `up`: a bind of this worker is up. A window or a rate that is full for a moment changes nothing: the message waits
 *   for this carrier, so that the operator's weights decide and not the state of the windows.
 * - `bound-elsewhere`: only other workers have a bind of it; the carrier's queue takes the message to them.
 * - `throttled`: it has no free slot, and returned a throttling error a moment ago or has had no free slot for seconds.
 * - `down`, `paused`, `removed`: it takes no messages.
 * - `excluded`: it is a simulator beside a real carrier, and no route names it.
 */
export type CarrierReadiness = 'up' | 'bound-elsewhere' | 'throttled' | 'down' | 'paused' | 'excluded' | 'removed';

/**
 * 0: the carrier takes messages. Otherwise the next rank of the route does, and messages wait for the carrier with the
 * lowest number, which is the most likely to come back first.
 */
const TIERS: Readonly<Record<CarrierReadiness, number>> = {
  up: 0,
  'bound-elsewhere': 0,
  throttled: 1,
  down: 2,
  paused: 3,
  excluded: 4,
  removed: 5,
};

/** Every readiness. */
export const READINESSES = Object.keys(TIERS) as readonly CarrierReadiness[];

export function takesMessages(readiness: CarrierReadiness): boolean {
  return TIERS[readiness] === 0;
}

/** The operator's routes, arranged by prefix. */
export class RouteTable {
  private readonly byPrefix = new Map<string, RouteTarget[]>();
  private readonly named: ReadonlySet<number>;
  private readonly prefixLengthMax: number;

  constructor(entries: readonly RouteEntry[]) {
    for (const { prefix, ...target } of entries) {
      const targets = this.byPrefix.get(prefix);
      if (targets === undefined) this.byPrefix.set(prefix, [target]);
      else targets.push(target);
    }
    this.named = new Set(entries.map(({ carrierId }) => carrierId));
    this.prefixLengthMax = Math.max(0, ...[...this.byPrefix.keys()].map(({ length }) => length));
  }

  /**
   * Whether there are no routes. Then any carrier may take any message; a simulator only if there is no real carrier.
   */
  get isEmpty(): boolean {
    return this.byPrefix.size === 0;
  }

  /** Whether some route names a carrier. */
  names(carrierId: number): boolean {
    return this.named.has(carrierId);
  }

  /**
   * Whether a carrier may ever take a message to this number. A paused or down carrier may: messages wait for it.
   * Without routes any carrier may, also the first one that an operator adds later.
   */
  serves(destination: string): boolean {
    return this.isEmpty || this.find(destination)?.targets.some(({ isCarrierRemoved }) => !isCarrierRemoved) === true;
  }

  /**
   * The carriers that may take a message: those of its route; without routes any with room, or all if none has any.
   * Undefined: there are routes, and none is for the destination.
   *
   * @param open the carriers that may take messages without routes, by their ids
   */
  targetsFor(
    destination: string,
    open: () => readonly (readonly [carrierId: number, { readonly room: number }])[],
  ): readonly RouteTarget[] | undefined {
    if (!this.isEmpty) return this.find(destination)?.targets;
    const all = open();
    const withRoom = all.filter(([, { room }]) => room > 0);
    return (withRoom.length > 0 ? withRoom : all).map(([carrierId]) => ({ carrierId, rank: 1, weight: 1 }));
  }

  /**
   * The route with the longest prefix of the destination; it alone decides. Undefined: no carrier may take the message.
   */
  find(destination: string): FoundRoute | undefined {
    for (let length = Math.min(this.prefixLengthMax, destination.length); length >= 0; length -= 1) {
      const prefix = destination.slice(0, length);
      const targets = this.byPrefix.get(prefix);
      if (targets !== undefined) return { prefix, targets };
    }
    return undefined;
  }
}

/**
 * The simulators that take no messages. Beside a real carrier, even a paused or down one, a simulator takes only
 * messages of routes that name it, because its messages reach nobody and are paid for.
 *
 * @param carriers all that have not been removed
 */
export function excludedSimulators(
  carriers: readonly { readonly carrierId: number; readonly simulator: boolean }[],
  routes: RouteTable,
): ReadonlySet<number> {
  if (carriers.every(({ simulator }) => simulator)) return new Set();
  const excluded = carriers.filter(({ carrierId, simulator }) => simulator && !routes.names(carrierId));
  return new Set(excluded.map(({ carrierId }) => carrierId));
}

/**
 * Every carrier of a route, in the order in which it should get a message: first those that take messages now, then by
 * rank, then at random by weight. The message goes to the first one, or waits for it.
 *
 * @param random uniform in [0, 1)
 */
export function inOrder(
  targets: readonly RouteTarget[],
  readinessOf: (carrierId: number) => CarrierReadiness,
  random: () => number,
): RouteTarget[] {
  return targets
    .map((target) => ({
      target,
      tier: TIERS[readinessOf(target.carrierId)],
      // An exponential draw with the weight as its rate: each carrier has the lowest draw with a chance of weight / sum
      // of weights.
      draw: -Math.log(1 - random()) / target.weight,
    }))
    .sort((a, b) => a.tier - b.tier || a.target.rank - b.target.rank || a.draw - b.draw)
    .map(({ target }) => target);
}

/**
 * Numbers in [0, 1) that are always the same for the same text, so that an order gets the same carrier each time it is
 * routed. (FNV-1a seeds mulberry32.)
 */
export function steadyRandom(text: string): () => number {
  let seed = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) seed = Math.imul(seed ^ text.charCodeAt(at), 0x01000193);
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
