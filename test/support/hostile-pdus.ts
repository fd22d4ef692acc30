import { pduBytes } from './scripted-smsc.js';

/** Numbers from 0 up to below 1, the same ones for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const COMMANDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0x0b, 0x15, 0x21, 0x102, 0x103, 0x111].flatMap((command) => [
  command,
  command + 0x80000000,
]);
const LENGTHS_THAT_CANNOT_BE = [0, 1, 4, 15, 0x7fffffff, 0xffffffff, 0x10000000, 0x01000000];
const TAGS = [0x001e, 0x0204, 0x020c, 0x020e, 0x020f, 0x0423, 0x0424, 0x0427, 0x1400, 0x0000, 0xffff];
const WORDS = [
  'id:',
  'stat:',
  'err:',
  'text:',
  'DELIVRD',
  'UNDELIV',
  '0000',
  'done date:',
  ' ',
  ',',
  '\0',
  'é',
  'ABCDEF',
];

export interface HostilePdu {
  readonly bytes: Buffer;
  /** Whether a reader knows where the next PDU begins. */
  readonly keepsFraming: boolean;
}

/**
 * Makes PDUs as no sane peer would: mutations of good ones, wrong lengths, optional parameters that lie, and plain
 * noise.
 */
export class HostilePdus {
  constructor(
    private readonly random: () => number,
    /** Bodies of good PDUs, by their command, to spoil. */
    private readonly good: readonly (readonly [command: number, body: Buffer])[],
    /** Commands that are never written, where an answer to them would end the test. */
    private readonly except: readonly number[] = [],
  ) {}

  /** One PDU; the stream stays a stream of PDUs unless `keepsFraming` is false, which happens once in `everyNth`. */
  next(everyNth: number): HostilePdu {
    if (this.random() < 1 / everyNth) return { bytes: this.unframed(), keepsFraming: false };
    const [command, good] = this.pick(this.good);
    const body = this.spoil(good);
    const isOther = this.random() < 0.3;
    const chosen = isOther ? this.pick(COMMANDS) : command;
    const written = this.except.includes(chosen) ? command : chosen;
    const status = this.random() < 0.7 ? 0 : this.below(0x100);
    return { bytes: pduBytes(written, status, this.sequence(), body), keepsFraming: true };
  }

  /** The same octets in pieces, cut anywhere. */
  cut(bytes: Buffer): Buffer[] {
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      const length = this.random() < 0.2 ? 1 : 1 + this.below(bytes.length);
      pieces.push(bytes.subarray(at, at + length));
      at += length;
    }
    return pieces;
  }

  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  private pick<T>(from: readonly T[]): T {
    const chosen = from[this.below(from.length)];
    if (chosen === undefined) throw new Error('nothing to pick from');
    return chosen;
  }

  private sequence(): number {
    return this.pick([0, 1, 2, this.below(100), this.below(0x80000000), 0x7fffffff, 0xffffffff]);
  }

  private unframed(): Buffer {
    const bytes = pduBytes(this.pick(COMMANDS), 0, 1, this.noise(this.below(40)));
    if (this.random() < 0.3) return this.noise(16 + this.below(100)).fill(0xff, 0, 1);
    bytes.writeUInt32BE(this.pick(LENGTHS_THAT_CANNOT_BE), 0);
    return bytes;
  }

  private spoil(good: Buffer): Buffer {
    switch (this.below(8)) {
      case 0:
        return good;
      case 1:
        return good.subarray(0, this.below(good.length + 1));
      case 2:
        return this.flip(good);
      case 3:
        return Buffer.concat([good, this.lyingParameter()]);
      case 4:
        return Buffer.concat([good, this.lyingParameter(), this.lyingParameter(), this.noise(this.below(9))]);
      case 5:
        return this.noise(this.below(300));
      case 6:
        return this.splice(good, Buffer.from(this.pick(WORDS).repeat(1 + this.below(12)), 'latin1'));
      default:
        return this.flip(Buffer.concat([good, good]));
    }
  }

  private flip(good: Buffer): Buffer {
    const bytes = Buffer.from(good);
    for (let count = 1 + this.below(4); count > 0 && bytes.length > 0; count -= 1) {
      bytes[this.below(bytes.length)] = this.pick([0, 1, 0x7f, 0x80, 0xff, this.below(256)]);
    }
    return bytes;
  }

  private splice(good: Buffer, inserted: Buffer): Buffer {
    const at = this.below(good.length + 1);
    return Buffer.concat([good.subarray(0, at), inserted, good.subarray(at)]);
  }

  /** An optional parameter whose length may be another than that of its value. */
  private lyingParameter(): Buffer {
    const value = this.noise(this.pick([0, 1, 2, 3, this.below(70), this.below(3_000)]));
    const head = Buffer.alloc(4);
    head.writeUInt16BE(this.random() < 0.8 ? this.pick(TAGS) : this.below(0x10000), 0);
    head.writeUInt16BE(this.random() < 0.6 ? value.length : this.pick([0, 1, 2, 0xffff, this.below(0x10000)]), 2);
    return Buffer.concat([head, value]);
  }

  private noise(octets: number): Buffer {
    const bytes = Buffer.alloc(octets);
    for (let at = 0; at < octets; at += 1) bytes[at] = this.below(256);
    return bytes;
  }
}
