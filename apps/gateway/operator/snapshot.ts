import type { FastifyReply, FastifyRequest } from 'fastify';
import { wireJson } from '#operations';
import { KeptAnswer } from '#timing';
import { SharedText } from '../http/shared-text.js';

/**
 * An answer that many look at. If somebody asks, the gateway reads, writes and compresses it at most once in a given
 * time, for everybody. A client that has this answer already gets 304, also if the answers differ in their time (`at`).
 */
export class Snapshot {
  private readonly written: KeptAnswer<SharedText>;

  constructor(readAnswer: () => Promise<object>, freshForMs: number) {
    this.written = new KeptAnswer(freshForMs, async () => {
      const answer = await readAnswer();
      return new SharedText(wireJson(answer), wireJson({ ...answer, at: undefined }));
    });
  }

  /** @throws Error when it cannot be read; the next caller asks again */
  async answer(request: FastifyRequest, reply: FastifyReply): Promise<Buffer | undefined> {
    const text = await this.written.get();
    return text.answer(request, reply, 'application/json');
  }
}
