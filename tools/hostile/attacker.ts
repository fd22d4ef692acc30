import { setPriority } from 'node:os';
import { serve } from '../harness/child.js';
import { atRate } from '../harness/pace.js';
import { ATTACKS, type Attack, openSlowConnections, strike, type Target } from './attacks.js';

/** Nice value: attackers have machines of their own, so that the generator only takes what the service leaves it. */
const PRIORITY = 10;
/** What is not answered yet; more is not sent, so that the generator measures the service and not its own memory. */
const OPEN_MAX = 600;
const SLOW_CONNECTIONS = 100;

const attacker = {
  /**
   * Bad requests for so many seconds, at a rate of all kinds together.
   *
   * @param kinds names of those that are sent, each as often as among all; empty: all
   */
  async strike(target: Target, rate: number, seconds: number, kinds: readonly string[]) {
    const attacks = ATTACKS.filter(({ name }) => kinds.length === 0 || kinds.includes(name));
    const perSecond = (rate * weightOf(attacks)) / weightOf(ATTACKS);
    const order = spreadEvenly(attacks);
    /** How often each kind was answered with each status. */
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
      const status = await strike(target, attack);
      open -= 1;
      const ofKind = statuses[attack.name] ?? {};
      statuses[attack.name] = { ...ofKind, [status]: (ofKind[status] ?? 0) + 1 };
    };
    const stop = atRate(perSecond, () => void strikeNext());
    await new Promise((wake) => setTimeout(wake, seconds * 1_000));
    stop();
    closeSlow();
    return { sent, heldBack, statuses };
  },
};
export type Attacker = typeof attacker;

function weightOf(attacks: readonly Attack[]): number {
  return attacks.reduce((sum, { weight }) => sum + weight, 0);
}

/** Each kind spread evenly over one round of all. */
function spreadEvenly(attacks: readonly Attack[]): Attack[] {
  const total = weightOf(attacks);
  const order: Attack[] = [];
  const taken = new Map<Attack, number>();
  for (let step = 1; step <= total; step += 1) {
    const owed = attacks.map((attack) => (attack.weight * step) / total - (taken.get(attack) ?? 0));
    const next = attacks[owed.indexOf(Math.max(...owed))] as Attack;
    taken.set(next, (taken.get(next) ?? 0) + 1);
    order.push(next);
  }
  return order;
}

setPriority(PRIORITY);
serve(attacker);
