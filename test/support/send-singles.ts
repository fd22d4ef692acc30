import { numberOf, type TestService } from './service.js';

const AT_ONCE = 20;

/**
 * So many single messages, each to a number of its own; they wait on the queue, where a batch waits in the database.
 */
export async function sendSingles(service: TestService, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < count; from += AT_ONCE) {
    const indexes = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => from + index);
    ids.push(...(await Promise.all(indexes.map((index) => service.send(numberOf(index), `Message ${index}`)))));
  }
  return ids;
}
