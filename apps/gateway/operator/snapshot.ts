import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { wireJson } from '#operations';
import { KeptAnswer } from '#timing';

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
  private readonly written: KeptAnswer<WrittenAnswer>;

  constructor(readAnswer: () => Promise<object>, freshForMs: number) {
    this.written = new KeptAnswer(freshForMs, async () => write(await readAnswer()));
  }

  /** @throws Error when it cannot be read; the next caller asks again */
  async answer({ headers }: FastifyRequest, reply: FastifyReply): Promise<Buffer | undefined> {
    const { text, gzip, etag } = await this.written.get();
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
}

async function write(answer: object): Promise<WrittenAnswer> {
  const text = Buffer.from(wireJson(answer));
  const lasting = wireJson({ ...answer, at: undefined });
  const etag = `W/"${createHash('sha256').update(lasting).digest('base64url').slice(0, 22)}"`;
  return { text, gzip: await compressed(text), etag };
}
