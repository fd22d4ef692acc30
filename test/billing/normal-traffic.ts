import type { TriedMessage } from '#billing';
import type { SeededRandom } from '../../tools/harness/seeded-random.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const CUSTOMERS = 20_000;

/** Numbers of British and German customers, spread over the ranges that carriers have there. */
export function customers(random: SeededRandom): string[] {
  return Array.from({ length: CUSTOMERS }, () =>
    random.chance(0.7)
      ? `447${random.between(410_000_000, 599_999_999)}`
      : `4915${random.between(100_000_000, 999_999_999)}`,
  );
}

/**
 * A day of a shop: one-time codes by the hour of the day, some asked for twice or three times, a message for each
 * order, and on the first of each month a campaign to a tenth of all customers. Sorted by time.
 */
export function normalDay(random: SeededRandom, numbers: readonly string[], day: number): TriedMessage[] {
  const messages: TriedMessage[] = [];
  const add = (atMs: number, destination: string, segments = 1) => {
    const unitPrice = destination.startsWith('44') ? 37_600n : 74_500n;
    messages.push({ atMs, destination, unitPrice, price: BigInt(segments) * unitPrice });
  };
  const busy = day % 7 < 5 ? 1 : 0.6;
  for (let hour = 0; hour < 24; hour += 1) {
    const byClock = hour < 6 ? 2 : hour < 9 ? 15 : hour < 22 ? 30 : 8;
    const logins = Math.round(byClock * busy * (0.5 + random.next()));
    for (let login = 0; login < logins; login += 1) {
      const number = random.pick(numbers);
      const atMs = day * DAY_MS + hour * HOUR_MS + random.between(0, HOUR_MS - 1);
      const codes = random.chance(0.1) ? random.between(2, 3) : 1;
      for (let code = 0; code < codes; code += 1) add(atMs + code * 40_000, number);
      if (random.chance(0.3)) add(atMs + random.between(60_000, 600_000), number, 2);
    }
  }
  if (day % 30 === 0) {
    const start = day * DAY_MS + 10 * HOUR_MS;
    for (let sent = 0; sent < CUSTOMERS / 10; sent += 1) add(start + sent * 1_000, random.pick(numbers), 2);
  }
  return messages.sort((one, other) => one.atMs - other.atMs);
}

/** Fraud: numbers of one range, one after another, several a second. */
export function pumping(atMs: number, messages: number): TriedMessage[] {
  return Array.from({ length: messages }, (_, index) => ({
    atMs: atMs + index * 200,
    destination: `4474001${String(index % 10_000).padStart(5, '0')}`,
    unitPrice: 37_600n,
    price: 37_600n,
  }));
}
