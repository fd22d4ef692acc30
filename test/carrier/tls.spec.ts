import type { TlsOptions } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import { ScriptedSmsc } from '../support/scripted-smsc.js';
import { reasonsIn, TestCarrier } from '../support/test-carrier.js';
import { TEST_CERTIFICATE_PEM, TEST_KEY_PEM } from '../support/tls-identity.js';
import { until } from '../support/until.js';

const closers: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function aTlsSmsc(options: TlsOptions = {}) {
  const smsc = await ScriptedSmsc.listen({ cert: TEST_CERTIFICATE_PEM, key: TEST_KEY_PEM, ...options });
  closers.unshift(() => smsc.close());
  return smsc;
}

describe('a carrier over TLS', () => {
  test('messages go through when the certificate is trusted', async () => {
    const smsc = await aTlsSmsc();
    const subject = await TestCarrier.bound(smsc, { tls: true, tlsCaPem: TEST_CERTIFICATE_PEM });
    closers.unshift(() => subject.carrier.close(0));
    expect(await subject.submit()).toMatchObject({ kind: 'accepted' });
  });

  test('the password is not shown to a carrier whose certificate nobody vouches for', async () => {
    const smsc = await aTlsSmsc();
    const subject = new TestCarrier(smsc, { tls: true });
    closers.unshift(() => subject.carrier.close(0));
    subject.carrier.start();
    await until('two failed attempts', () => reasonsIn(subject).length >= 2);
    expect(reasonsIn(subject)[0]).toBe('TLS failed: DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(smsc.seen).toEqual([]);
  });

  test('a URL without TLS for a port with TLS is told so', async () => {
    const smsc = await aTlsSmsc();
    const subject = new TestCarrier(smsc);
    closers.unshift(() => subject.carrier.close(0));
    subject.carrier.start();
    await until('a failed attempt', () => reasonsIn(subject).length >= 1);
    expect(reasonsIn(subject)[0]).toMatch(/check user and password, and whether the port wants TLS$/);
  });

  test('the certificate must be for the host, or for the name that the operator gave', async () => {
    const smsc = await aTlsSmsc();
    const settings = { tls: true, tlsCaPem: TEST_CERTIFICATE_PEM } as const;
    const named = await TestCarrier.bound(smsc, { ...settings, tlsServerName: 'localhost' });
    closers.unshift(() => named.carrier.close(0));
    const seen = smsc.seen.length;
    const misnamed = new TestCarrier(smsc, { ...settings, tlsServerName: 'smsc.example.net' });
    closers.unshift(() => misnamed.carrier.close(0));
    misnamed.carrier.start();
    await until('a failed attempt', () => reasonsIn(misnamed).length >= 1);
    expect(reasonsIn(misnamed)[0]).toBe('TLS failed: ERR_TLS_CERT_ALTNAME_INVALID');
    expect(smsc.seen).toHaveLength(seen);
  });

  test('a carrier that asks for our certificate gets it, and does not talk to us without', async () => {
    const smsc = await aTlsSmsc({ requestCert: true, rejectUnauthorized: true, ca: TEST_CERTIFICATE_PEM });
    const settings = { tls: true, tlsCaPem: TEST_CERTIFICATE_PEM } as const;
    const without = new TestCarrier(smsc, settings);
    closers.unshift(() => without.carrier.close(0));
    without.carrier.start();
    await until('a failed attempt', () => reasonsIn(without).length >= 1);
    expect(reasonsIn(without)[0]).toMatch(/^TLS failed: ERR_SSL_/);
    expect(smsc.seen).toEqual([]);
    const identity = { tlsCertificatePem: TEST_CERTIFICATE_PEM, tlsKeyPem: TEST_KEY_PEM };
    const subject = await TestCarrier.bound(smsc, { ...settings, ...identity });
    closers.unshift(() => subject.carrier.close(0));
    expect(await subject.submit()).toMatchObject({ kind: 'accepted' });
  });

  test('who gives up on verification is warned at every bind', async () => {
    const smsc = await aTlsSmsc();
    const subject = await TestCarrier.bound(smsc, { tls: true, tlsInsecure: true });
    closers.unshift(() => subject.carrier.close(0));
    const warnings = () => subject.logLines.filter(({ message }) => message.includes('not verified'));
    expect(warnings()).toMatchObject([{ level: 'warn', fields: { carrier: 'test' } }]);
    smsc.connection.socket.destroy();
    await until('a second warning', () => warnings().length === 2);
  });
});
