import { randomInt } from 'node:crypto';

const ROW_BITS = 21;
const ROW = 1 << ROW_BITS;

/**
 * Counts how often each of any number of keys came, in 16 MB. A count is never too low; it is too high where two keys
 * share both of their places.
 */
export class CountSketch {
  private readonly counts = new Uint32Array(2 * ROW);
  /** Nobody can look for keys that share their places. */
  private readonly seed = randomInt(2 ** 31);

  /** @returns the count after it; `change` may be negative */
  add(key: string, change: number): number {
    const [one, other] = this.placesOf(key);
    this.counts[one] = Math.max(0, (this.counts[one] ?? 0) + change);
    this.counts[other] = Math.max(0, (this.counts[other] ?? 0) + change);
    return this.count(key);
  }

  count(key: string): number {
    const [one, other] = this.placesOf(key);
    return Math.min(this.counts[one] ?? 0, this.counts[other] ?? 0);
  }

  clear(): void {
    this.counts.fill(0);
  }

  /** FNV-1a, with two finishes. */
  private placesOf(key: string): readonly [number, number] {
    let hash = 0x811c9dc5 ^ this.seed;
    for (let index = 0; index < key.length; index += 1) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
    const one = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    const other = Math.imul(hash ^ (hash >>> 13), 0x297a2d39);
    return [(one ^ (one >>> 12)) >>> (32 - ROW_BITS), ROW + ((other ^ (other >>> 15)) >>> (32 - ROW_BITS))];
  }
}
