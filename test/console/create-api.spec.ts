import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { createApi } from '../../apps/console/shell/api/create-api.js';

const NO_ANSWER = { status: 0, code: 'unreachable' };
const ends: (() => unknown)[] = [];

/** The address of a service that answers so. */
async function answering(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  ends.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('an answer', () => {
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });

  test('that begins and is cut off is told as no answer, and is no export', async () => {
    const address = await answering((_, response) => {
      response.write('recipient,text\n', () => response.destroy());
    });
    await expect(createApi({}).download(address)).rejects.toMatchObject(NO_ANSWER);
    await expect(createApi({}).request(address)).rejects.toMatchObject(NO_ANSWER);
  });

  test('that is whole is an export with its type', async () => {
    const address = await answering((_, response) => {
      response.writeHead(200, { 'content-type': 'text/csv' }).end('recipient,text\n');
    });
    const blob = await createApi({}).download(address);
    expect([blob.type, await blob.text()]).toEqual(['text/csv', 'recipient,text\n']);
  });

  test('that the session is over is told as what it is once somebody has signed in again', async () => {
    const address = await answering((_, response) => {
      response.writeHead(401).end('{"code":"unauthorized","detail":"The API key is not valid."}');
    });
    const onUnauthorized = jest.fn();
    const message = 'The session had ended. Try again.';
    await expect(createApi({ onUnauthorized }).request(address)).rejects.toMatchObject({ status: 401, message });
    expect(onUnauthorized).toHaveBeenCalledTimes(1);
    // Where a key is tried, there is no session.
    await expect(createApi({}).request(address)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('is waited for as long as it may take', async () => {
    const address = await answering((_, response) => void setTimeout(() => response.end('{}'), 300));
    const { request } = createApi({});
    await expect(request(address, { silenceMaxMs: 50 })).rejects.toMatchObject(NO_ANSWER);
    await expect(request(address, { silenceMaxMs: 20_000 })).resolves.toEqual({});
  });
});
