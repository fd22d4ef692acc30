import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const compressed = promisify(gzip);

/** A text that many ask for. It is compressed once, and only if a client takes gzip; who has it already gets 304. */
export class SharedText {
  private readonly octets: Buffer;
  private readonly etag: string;
  private zipped: Promise<Buffer> | undefined;

  /** @param lasting what the text says without that which changes with each of them: a client need not get it again */
  constructor(text: string, lasting = text) {
    this.octets = Buffer.from(text);
    // Weak: the same text has other octets when it is compressed (RFC 9110, section 8.8.3).
    this.etag = `W/"${createHash('sha256').update(lasting).digest('base64url').slice(0, 22)}"`;
  }

  /**
   * Sets the status and the headers of the answer, and returns its body.
   *
   * @param type of the media, without its parameters
   */
  async answer({ headers }: FastifyRequest, reply: FastifyReply, type: string): Promise<Buffer | undefined> {
    void reply.headers({ etag: this.etag, vary: 'accept-encoding' });
    const known = headers['if-none-match']?.split(',').map((tag) => tag.trim());
    if (known?.includes(this.etag)) {
      void reply.code(304);
      return undefined;
    }
    void reply.type(`${type}; charset=utf-8`);
    if (!takesGzip(headers['accept-encoding'])) return this.octets;
    void reply.header('content-encoding', 'gzip');
    this.zipped ??= compressed(this.octets);
    return this.zipped;
  }
}

/** A quality of 0 says that the client does not take it (RFC 9110, section 12.4.2). */
function takesGzip(codings = ''): boolean {
  return codings.split(',').some((coding) => /^\s*gzip\s*(;(?!\s*q=0(\.0*)?\s*$)|$)/i.test(coding));
}
