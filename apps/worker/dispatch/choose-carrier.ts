import { inOrder, steadyRandom, takesMessages } from '#carrier';
import type { FedOrder } from '#persistence';
import type { CarrierPool } from '../carriers/carrier-pool.js';
import type { QueueRoom } from './queue-room.js';

export interface CarrierChoice {
  readonly carrierId: number;
  /** A carrier of a later rank of the route took the place of the first ones. */
  readonly isFailover: boolean;
}

/**
 * The carrier that an order goes to, or waits for: the one that has segments of it; else by its route, whose longest prefix decides,
 * then which carriers take messages now, then rank and weight. Without routes any carrier with room is as good as another.
 *
 * @returns undefined when there is no carrier at all, `unroutable` when there are routes and none is for the destination
 */
export function chooseCarrier(
  pool: CarrierPool,
  room: QueueRoom,
  { id, destination, begunBy }: Pick<FedOrder, 'id' | 'destination' | 'begunBy'>,
): CarrierChoice | 'unroutable' | undefined {
  if (begunBy !== undefined) return { carrierId: begunBy, isFailover: false };
  if (pool.routes.isEmpty) {
    const open = pool.all().filter(({ readiness }) => readiness !== 'excluded');
    const withRoom = open.filter((carrier) => room.of(carrier.id) > 0);
    const targets = (withRoom.length > 0 ? withRoom : open).map((carrier) => ({
      carrierId: carrier.id,
      rank: 1,
      weight: 1,
    }));
    const [first] = inOrder(targets, (carrierId) => pool.readinessOf(carrierId), steadyRandom(id));
    return first && { carrierId: first.carrierId, isFailover: false };
  }
  const targets = pool.routes.find(destination)?.targets;
  if (targets === undefined) return 'unroutable';
  const [first] = inOrder(targets, (carrierId) => pool.readinessOf(carrierId), steadyRandom(id));
  if (first === undefined) return undefined;
  const firstRank = Math.min(...targets.map(({ rank }) => rank));
  const isFailover = first.rank > firstRank && takesMessages(pool.readinessOf(first.carrierId));
  return { carrierId: first.carrierId, isFailover };
}
