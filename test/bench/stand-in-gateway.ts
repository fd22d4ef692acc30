import { createServer } from 'node:http';
import { listen } from '../../tools/harness/listen.js';
import { RawClient } from '../carrier-simulator/raw-client.js';

/** Slow enough that the bench's closed load does not outrun it. */
const ANSWER_AFTER_MS = 20;
const BATCH = 50;
const PAUSE_MS = 20;

/**
 * A gateway of a few lines: takes messages by Kannel's sendsms, and submits them over one bind that it makes again when
 * it is lost.
 */
export async function startStandInGateway(simulatorPort: number) {
  const waiting: string[] = [];
  let isStopping = false;
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://gateway');
    waiting.push(searchParams.get('to') ?? '');
    setTimeout(() => {
      response.writeHead(202, { 'content-length': '24' });
      response.end('0: Accepted for delivery');
    }, ANSWER_AFTER_MS);
  });
  const port = await listen(server);

  const submitting = (async () => {
    let bind: RawClient | undefined;
    while (!isStopping) {
      try {
        bind ??= await RawClient.bound(simulatorPort, undefined, 'stand-in');
        const batch = waiting.slice(0, BATCH);
        const submits = batch.map((destination) => bind?.submit({ destination, registeredDelivery: 1 }));
        await Promise.all(submits);
        waiting.splice(0, batch.length);
        bind.received.length = 0;
        if (bind.isClosed) throw new Error('the bind is lost');
        if (batch.length < BATCH) await pause(PAUSE_MS);
      } catch {
        bind?.close();
        bind = undefined;
        await pause(PAUSE_MS);
      }
    }
    bind?.close();
  })();

  return {
    port,
    close: async () => {
      isStopping = true;
      server.closeAllConnections();
      server.close();
      await submitting;
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, ms));
}
