// The generator, a process of its own: attacker.js TARGET RATE SECONDS; prints one JSON document.
import { ATTACKS, type Attack, openSlowConnections, type Target } from './attacks.js';

const TICK_MS = 10;
/** What is not answered yet; more is not sent, so that the generator measures the service and not its own memory. */
const OPEN_MAX = 600;
const SLOW_CONNECTIONS = 100;

const [, , targetText = '{}', rateText = '0', secondsText = '0'] = process.argv;
const target = JSON.parse(targetText) as Target;
const perMs = Number(rateText) / 1_000;

const order: Attack[] = [];
const total = ATTACKS.reduce((sum, { weight }) => sum + weight, 0);
/** Each kind spread evenly over one round of all. */
for (let step = 0; step < total; step += 1) {
  const owed = ATTACKS.map(({ weight }, index) => (weight * (step + 1)) / total - (taken(index) ?? 0));
  order.push(ATTACKS[owed.indexOf(Math.max(...owed))] as Attack);
}
function taken(index: number): number {
  return order.filter((attack) => attack === ATTACKS[index]).length;
}

const statuses: Record<string, Record<number, number>> = {};
let open = 0;
let sent = 0;
let heldBack = 0;

const closeSlow = openSlowConnections(target, SLOW_CONNECTIONS);
const startMs = performance.now();
const endMs = startMs + Number(secondsText) * 1_000;
const timer = setInterval(() => {
  if (performance.now() >= endMs) {
    clearInterval(timer);
    finish();
    return;
  }
  // By the clock: a tick that comes late sends more.
  const due = (performance.now() - startMs) * perMs;
  while (sent + heldBack < due) {
    if (open >= OPEN_MAX) heldBack += 1;
    else strike(order[sent % order.length] as Attack);
  }
}, TICK_MS);

function strike(attack: Attack): void {
  open += 1;
  sent += 1;
  void attack.strike(target).then((status) => {
    open -= 1;
    const ofKind = statuses[attack.name] ?? {};
    statuses[attack.name] = ofKind;
    ofKind[status] = (ofKind[status] ?? 0) + 1;
  });
}

function finish(): void {
  closeSlow();
  process.stdout.write(`${JSON.stringify({ sent, heldBack, statuses })}\n`, () => process.exit(0));
}
