import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { createSecureServer as createHttp2 } from 'node:http2';
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';
import { describe, expect, test } from '@jest/globals';
import { ReceiverAddresses } from '#webhooks';
import { Receiver } from '../../apps/webhooks/receiver.js';
import { eventually } from '../support/eventually.js';
import { FarServer } from '../support/far-server.js';
import { SIGNED_CERTIFICATE_PEM, TEST_CERTIFICATE_PEM, TEST_KEY_PEM } from '../support/tls-identity.js';
import { TestReceiver } from '../support/webhooks.js';

// RFC 6890 and the forms in which URLs can write an address.
const PUBLIC = new ReceiverAddresses();
const at = (host: string) => `https://${host}/`;

describe('an address that a client gives', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '[::1]',
    '[::]',
    '[fe80::1]',
    '[fc00::1]',
    '[fd12::1]',
    '[ff02::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:10.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:db8::1]',
    '[::127.0.0.1]',
  ])('%s is refused', (host) => {
    expect(PUBLIC.problemOf(at(host))).toBeDefined();
  });

  test.each(['93.184.216.34', '[2606:2800:220:1:248:1893:25c8:1946]', 'example.com', 'localhost.example.com'])(
    '%s is taken',
    (host) => {
      expect(PUBLIC.problemOf(at(host))).toBeUndefined();
      expect(PUBLIC.problemOf(`https://${host}:8443/`)).toBeUndefined();
      expect(PUBLIC.problemOf(`https://${host}:22/`)).toBeDefined();
      expect(PUBLIC.problemOf(`http://${host}/`)).toBeDefined();
    },
  );

  test('networks that the operator allows are taken, also without TLS, and no others', () => {
    const some = new ReceiverAddresses('10.1.0.0/16,fd00:1::/32,127.0.0.1');
    expect(some.problemOf('http://10.1.2.3:8080/')).toBeUndefined();
    expect(some.problemOf('http://[fd00:1::5]/')).toBeUndefined();
    expect(some.problemOf('http://127.0.0.1:9/')).toBeUndefined();
    expect(some.problemOf('http://10.2.0.1/')).toBeDefined();
    expect(some.problemOf('http://127.0.0.2/')).toBeDefined();
  });
});

describe('a connection', () => {
  const post = async (url: string, addresses: ReceiverAddresses) => {
    const receiver = new Receiver(new URL(url), addresses, 2_000);
    const answer = await receiver.post('evt_1_0', '{}', ['whsec_AAAA']);
    await receiver.close();
    return answer;
  };
  const REFUSED = 'the address leads to a network that webhooks may not reach';

  test('goes to no address of this machine, by its number or by a name that leads there', async () => {
    const target = await TestReceiver.start();
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
      for (const protocol of ['http', 'https']) {
        expect(await post(`${protocol}://${host}:${target.port}/`, PUBLIC)).toMatchObject({ error: REFUSED });
      }
    }
    expect(target.received).toEqual([]);
    await target.close();
  });

  test('goes nowhere, if its name leads to another network than at the request before', async () => {
    const allowed = new ReceiverAddresses('127.0.0.2');
    const shop = await TestReceiver.start(0, '127.0.0.2');
    // What an attacker wants to reach, at the same port.
    const inside = await TestReceiver.start(shop.port);
    shop.answer = { status: 200, headers: { connection: 'close' } };
    let answers = [['127.0.0.2'], ['127.0.0.1'], ['127.0.0.2', '127.0.0.1'], ['127.0.0.2']];
    const receiver = new Receiver(
      new URL(`http://shop.example.com:${shop.port}/`),
      allowed,
      2_000,
      (_name, _options, answer) => {
        const [now = [], ...later] = answers;
        answers = later;
        answer(
          null,
          now.map((address) => ({ address, family: 4 })),
        );
      },
    );
    const post = (id: string) => receiver.post(id, '{}', ['whsec_AAAA']);
    expect(await post('evt_1_0')).toMatchObject({ httpStatus: 200 });
    for (const id of ['evt_2_0', 'evt_3_0']) {
      expect(await post(id)).toMatchObject({ httpStatus: undefined, error: REFUSED });
    }
    expect(await post('evt_4_0')).toMatchObject({ httpStatus: 200 });
    expect([shop.taken, inside.received]).toEqual([['evt_1_0', 'evt_4_0'], []]);
    for (const one of [receiver, shop, inside]) await one.close();
  });

  test('looks its name up once for all that wait, and goes where it led before while the lookups of others take long', async () => {
    const shop = await TestReceiver.start(0, '127.0.0.2');
    shop.answer = { status: 200, headers: { connection: 'close' } };
    const lookups: (() => void)[] = [];
    const receiver = new Receiver(
      new URL(`http://shop.example.com:${shop.port}/`),
      new ReceiverAddresses('127.0.0.2'),
      10_000,
      (_name, _options, answer) => lookups.push(() => answer(null, [{ address: '127.0.0.2', family: 4 }])),
    );
    const post = (id: string) => receiver.post(id, '{}', ['whsec_AAAA']);
    const first = Promise.all(['evt_1_0', 'evt_2_0', 'evt_3_0'].map(post));
    await eventually(() => lookups.length > 0);
    lookups[0]?.();
    for (const answer of await first) expect(answer).toMatchObject({ httpStatus: 200 });
    const before = lookups.length;
    expect(before).toBeLessThan(3);
    // Nobody answers this one.
    expect(await post('evt_4_0')).toMatchObject({ httpStatus: 200 });
    expect(lookups).toHaveLength(before + 1);
    for (const one of [receiver, shop]) await one.close();
  });

  test('is waited for, although it takes longer than Node waits for one address of several', async () => {
    const far = await FarServer.start('127.0.0.2');
    const addresses = ['127.0.0.2', '127.0.0.3'].map((address) => ({ address, family: 4 }));
    const receiver = new Receiver(
      new URL(`http://shop.example.com:${far.port}/`),
      new ReceiverAddresses('127.0.0.0/8'),
      10_000,
      (_name, _options, answer) => answer(null, addresses),
    );
    const [answer] = await Promise.all([receiver.post('evt_1_0', '{}', ['whsec_AAAA']), far.comeNearer()]);
    for (const one of [receiver, far]) await one.close();
    expect(answer).toMatchObject({ httpStatus: 200 });
  });

  test('is ended before a server that keeps it for 5 seconds ends it, so that no event meets its end', async () => {
    // Without a time in its answers, as many servers.
    const server = createHttp({ keepAliveTimeout: 0 }, (_request, response) => response.end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const connected = once(server, 'connection');
    const { port } = server.address() as AddressInfo;
    const receiver = new Receiver(new URL(`http://127.0.0.1:${port}/`), new ReceiverAddresses('127.0.0.1'), 2_000);
    expect(await receiver.post('evt_1_0', '{}', ['whsec_AAAA'])).toMatchObject({ httpStatus: 200 });
    const answeredMs = performance.now();
    const [socket] = (await connected) as [Socket];
    await once(socket, 'end');
    expect(performance.now() - answeredMs).toBeLessThan(5_000);
    server.close();
    await receiver.close();
  });

  test('goes where the operator allows it', async () => {
    const target = await TestReceiver.start();
    const allowed = new ReceiverAddresses('127.0.0.1,::1');
    expect(await post(`http://localhost:${target.port}/`, allowed)).toMatchObject({
      httpStatus: 200,
      error: undefined,
    });
    await target.close();
  });

  test('tells a closed port, a name that does not exist and a silent receiver apart', async () => {
    const target = await TestReceiver.start();
    target.answer = { status: 200, until: new Promise(() => {}) };
    const allowed = new ReceiverAddresses('127.0.0.1');
    expect(await post(target.url, allowed)).toMatchObject({ error: 'no answer within 2 s', isTimeout: true });
    const { url } = target;
    await target.close();
    expect(await post(url, allowed)).toMatchObject({ error: 'the receiver refused the connection' });
  });

  test.each([
    ['a certificate without its chain', createTls({ key: TEST_KEY_PEM, cert: SIGNED_CERTIFICATE_PEM }), 'certificate'],
    ['its own certificate', createTls({ key: TEST_KEY_PEM, cert: TEST_CERTIFICATE_PEM }), 'certificate'],
    ['HTTP/2 alone', createHttp2({ key: TEST_KEY_PEM, cert: TEST_CERTIFICATE_PEM }), 'TLS connection'],
    [
      'no TLS',
      createTcp((socket) => socket.on('error', () => undefined).end('HTTP/1.1 400 \r\n\r\n')),
      'TLS connection',
    ],
  ])('tells what is wrong with a receiver with %s', async (_what, server: Server, words) => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { error } = await post(`https://127.0.0.1:${port}/`, new ReceiverAddresses('127.0.0.1'));
    server.close();
    expect(error).toMatch(new RegExp(`${words} .*(not valid|not possible) \\([A-Z0-9_]+\\)`));
  });

  test('tells that a receiver does not speak HTTP', async () => {
    const server = createTcp((socket) => socket.on('error', () => undefined).end('SSH-2.0-OpenSSH_9.2\r\n'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { error } = await post(`http://127.0.0.1:${port}/`, new ReceiverAddresses('127.0.0.1'));
    server.close();
    expect(error).toBe('the answer of the receiver is not valid HTTP/1.1');
  });

  test('an answer is read no further than 16 kB', async () => {
    const target = await TestReceiver.start();
    target.answer = { status: 200, headers: { 'x-large': 'x'.repeat(20_000) } };
    expect((await post(target.url, new ReceiverAddresses('127.0.0.1'))).error).toBeDefined();
    await target.close();
  });
});
