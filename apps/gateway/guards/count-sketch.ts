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

  /**
   * Adds what a count has room for below its max.
   *
   * @returns how much that is
   */
  take(key: string, wanted: number, max: number): number {
    const hash = this.hashOf(key);
    const [one, other] = [firstPlace(hash), secondPlace(hash)];
    const [ofOne, ofOther] = [this.counts[one] ?? 0, this.counts[other] ?? 0];
    const taken = Math.min(wanted, Math.max(0, max - Math.min(ofOne, ofOther)));
    this.counts[one] = ofOne + taken;
    this.counts[other] = ofOther + taken;
    return taken;
  }

  giveBack(key: string, taken: number): void {
    const hash = this.hashOf(key);
    for (const place of [firstPlace(hash), secondPlace(hash)]) {
      this.counts[place] = Math.max(0, (this.counts[place] ?? 0) - taken);
    }
  }

  clear(): void {
    this.counts.fill(0);
  }

  /** FNV-1a. */
  private hashOf(key: string): number {
    let hash = 0x811c9dc5 ^ this.seed;
    for (let index = 0; index < key.length; index += 1) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
    return hash;
  }
}

function firstPlace(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 12)) >>> (32 - ROW_BITS);
}

function secondPlace(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 13), 0x297a2d39);
  return ROW + ((mixed ^ (mixed >>> 15)) >>> (32 - ROW_BITS));
}
