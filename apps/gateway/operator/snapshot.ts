import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { wireJson } from '#operations';

const compressed = promisify(gzip);

/** An answer as it goes out. */
interface WrittenAnswer {
  readonly text: Buffer;
  readonly gzip: Buffer;
  /** Weak: answers that differ in nothing but their time (`at`) have the same. */
  readonly etag: string;
}

/**
 * An answer that many look at. If somebody asks, the gateway reads, writes and compresses it at most once in a given
 * time, for everybody. A client that has this answer already gets 304.
 */
export class Snapshot {
  private latest: Promise<WrittenAnswer> | undefined;
  private readAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly readAnswer: () => Promise<object>,
    private readonly freshForMs: number,
  ) {}

  /** @throws Error when it cannot be read; the next caller asks again */
  async answer({ headers }: FastifyRequest, reply: FastifyReply): Promise<Buffer | undefined> {
    const { text, gzip, etag } = await this.read();
    void reply.header('etag', etag);
    if (headers['if-none-match'] === etag) {
      void reply.code(304);
      return undefined;
    }
    void reply.header('content-type', 'application/json; charset=utf-8').header('vary', 'accept-encoding');
    if (headers['accept-encoding']?.includes('gzip') !== true) return text;
    void reply.header('content-encoding', 'gzip');
    return gzip;
  }

  private read(): Promise<WrittenAnswer> {
    if (this.latest === undefined || performance.now() - this.readAtMs > this.freshForMs) {
      this.readAtMs = performance.now();
      const latest = this.readAnswer().then(write);
      latest.catch(() => {
        if (this.latest === latest) this.latest = undefined;
      });
      this.latest = latest;
    }
    return this.latest;
  }
}

async function write(answer: object): Promise<WrittenAnswer> {
  const text = Buffer.from(wireJson(answer));
  const lasting = wireJson({ ...answer, at: undefined });
  const etag = `W/"${createHash('sha256').update(lasting).digest('base64url').slice(0, 22)}"`;
  return { text, gzip: await compressed(text), etag };
}
