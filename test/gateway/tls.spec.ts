import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { loadConfig } from '#config';
import { createLogger } from '#telemetry';
import { startGateway } from '../../apps/gateway/start-gateway.js';
import { eventually } from '../support/eventually.js';
import { RECIPIENT, TestGateway } from '../support/gateway.js';
import { LogLines } from '../support/log-lines.js';
import {
  SECOND_CERTIFICATE_PEM,
  SECOND_KEY_PEM,
  TEST_CERTIFICATE_PEM,
  TEST_KEY_PEM,
  WEAK_CERTIFICATE_PEM,
  WEAK_KEY_PEM,
} from '../support/tls-identity.js';

const folder = mkdtempSync(join(tmpdir(), 'gateway-tls-'));
const settings = { TLS_CERT_FILE: join(folder, 'cert.pem'), TLS_KEY_FILE: join(folder, 'key.pem') };
const install = (cert: string, key: string) => {
  writeFileSync(settings.TLS_CERT_FILE, cert);
  writeFileSync(settings.TLS_KEY_FILE, key);
};

const log = new LogLines('gateway');
let gateway: TestGateway;
beforeAll(async () => {
  install(TEST_CERTIFICATE_PEM, TEST_KEY_PEM);
  gateway = await TestGateway.start({ settings, log });
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true });
});

function peer(options: object = {}): Promise<{ certificate: PeerCertificate; protocol: string | null }> {
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect(
      { port: gateway.port, host: '127.0.0.1', rejectUnauthorized: false, ...options },
      () => {
        resolve({ certificate: socket.getPeerCertificate(), protocol: socket.getProtocol() });
        socket.destroy();
      },
    );
    socket.on('error', reject);
  });
}
const subject = async () => (await peer()).certificate.subject.CN;

describe('with TLS_CERT_FILE and TLS_KEY_FILE', () => {
  test('the API speaks HTTPS, and a client that trusts the certificate can send', async () => {
    const account = await gateway.account();
    const body = JSON.stringify({ recipient: RECIPIENT, message: 'hi' });
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: gateway.port,
          method: 'POST',
          path: '/v1/message/send',
          ca: TEST_CERTIFICATE_PEM,
          headers: { 'X-Authorization': account.apiKey, 'Content-Type': 'application/json' },
        },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
    expect(status).toBe(201);
  });

  test('plain HTTP gets nothing, and TLS 1.1 is refused', async () => {
    await expect(gateway.http.request('GET', '/healthz')).rejects.toThrow();
    await expect(peer({ minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' })).rejects.toThrow();
    expect((await peer({ maxVersion: 'TLSv1.2' })).protocol).toBe('TLSv1.2');
  });

  test('files that change are taken up, connections stay, and a broken file changes nothing', async () => {
    const open = connect({ port: gateway.port, host: '127.0.0.1', rejectUnauthorized: false });
    await new Promise((resolve) => open.once('secureConnect', resolve));
    install(SECOND_CERTIFICATE_PEM, SECOND_KEY_PEM);
    await eventually(async () => expect(await subject()).toBe('second'));
    writeFileSync(settings.TLS_KEY_FILE, 'no key');
    process.emit('SIGHUP');
    await eventually(() => log.text.includes('the TLS certificate in use stays'));
    expect(await subject()).toBe('second');
    install(TEST_CERTIFICATE_PEM, TEST_KEY_PEM);
    process.emit('SIGHUP');
    await eventually(async () => expect(await subject()).toBe('localhost'));
    expect(open.destroyed).toBe(false);
    open.destroy();
  });

  test('/readyz answers over it', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      get({ host: '127.0.0.1', port: gateway.port, path: '/readyz', ca: TEST_CERTIFICATE_PEM }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).on('error', reject);
    });
    expect(status).toBe(200);
  });
});

describe('a mistake is one clear line', () => {
  const silent = createLogger('gateway', 'silent');
  const wrong = join(folder, 'wrong.pem');
  const weak = { TLS_CERT_FILE: join(folder, 'weak.pem'), TLS_KEY_FILE: join(folder, 'weak-key.pem') };
  const start = (files: object) => startGateway(loadConfig({ ...gateway.settings, ...files }), silent);
  beforeEach(() => {
    writeFileSync(wrong, SECOND_KEY_PEM);
    writeFileSync(weak.TLS_CERT_FILE, WEAK_CERTIFICATE_PEM);
    writeFileSync(weak.TLS_KEY_FILE, WEAK_KEY_PEM);
  });

  test('one of the two', () => {
    expect(() => loadConfig({ TLS_CERT_FILE: '/x' })).toThrow('TLS_CERT_FILE and TLS_KEY_FILE are needed together');
  });

  test.each([
    ['a file that is not there', { TLS_KEY_FILE: '/nowhere' }, 'TLS_KEY_FILE /nowhere cannot be read (ENOENT)'],
    ['no certificate', { TLS_CERT_FILE: wrong }, `TLS_CERT_FILE ${wrong} is not a PEM certificate`],
    ['no key', { TLS_KEY_FILE: settings.TLS_CERT_FILE }, 'is not a PEM private key without a passphrase'],
    ['the key of another certificate', { TLS_KEY_FILE: wrong }, 'is not the key of the certificate'],
    [
      'a certificate that OpenSSL does not use',
      weak,
      `OpenSSL refuses TLS_CERT_FILE ${weak.TLS_CERT_FILE} with its key: ERR_SSL_EE_KEY_TOO_SMALL`,
    ],
  ])('%s', async (_what, files, line) => {
    await expect(start(files)).rejects.toThrow(line);
  });
});
