import { serve } from '../harness/child.js';
import { atRate } from '../harness/pace.js';
import { ATTACKS, type Attack, openSlowConnections, type Target } from './attacks.js';

const TICK_MS = 10;
/** What is not answered yet; more is not sent, so that the generator measures the service and not its own memory. */
const OPEN_MAX = 600;
const SLOW_CONNECTIONS = 100;

export interface AttackFigures {
  readonly sent: number;
  readonly heldBack: number;
  /** How often each kind was answered with each status. */
  readonly statuses: Readonly<Record<string, Readonly<Record<number, number>>>>;
}

const attacker = {
  /** Bad requests at a rate, for so many seconds. */
  async strike(target: Target, perSecond: number, seconds: number): Promise<AttackFigures> {
    const order = spreadEvenly();
    const statuses: Record<string, Record<number, number>> = {};
    let [open, sent, heldBack] = [0, 0, 0];
    const closeSlow = openSlowConnections(target, SLOW_CONNECTIONS);
    const strikeNext = async () => {
      if (open >= OPEN_MAX) {
        heldBack += 1;
        return;
      }
      open += 1;
      const attack = order[sent++ % order.length] as Attack;
      const status = await attack.strike(target);
      open -= 1;
      statuses[attack.name] ??= {};
      const ofKind = statuses[attack.name] as Record<number, number>;
      ofKind[status] = (ofKind[status] ?? 0) + 1;
    };
    const stop = atRate(perSecond, () => void strikeNext(), TICK_MS);
    await new Promise((wake) => setTimeout(wake, seconds * 1_000));
    stop();
    closeSlow();
    return { sent, heldBack, statuses };
  },
};
export type Attacker = typeof attacker;

/** Each kind spread evenly over one round of all. */
function spreadEvenly(): Attack[] {
  const total = ATTACKS.reduce((sum, { weight }) => sum + weight, 0);
  const order: Attack[] = [];
  const taken = new Map<Attack, number>();
  for (let step = 1; step <= total; step += 1) {
    const owed = ATTACKS.map((attack) => (attack.weight * step) / total - (taken.get(attack) ?? 0));
    const next = ATTACKS[owed.indexOf(Math.max(...owed))] as Attack;
    taken.set(next, (taken.get(next) ?? 0) + 1);
    order.push(next);
  }
  return order;
}

serve(attacker);
