import { afterEach, describe, expect, test } from '@jest/globals';
import { ScriptedSmsc } from '../support/scripted-smsc.js';
import { reasonsIn, TestCarrier } from '../support/test-carrier.js';
import { TEST_CERTIFICATE_PEM, TEST_KEY_PEM } from '../support/tls-identity.js';
import { until } from '../support/until.js';

const closers: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function aTlsSmsc() {
  const smsc = await ScriptedSmsc.listen({ cert: TEST_CERTIFICATE_PEM, key: TEST_KEY_PEM });
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
    expect(reasonsIn(subject)[0]).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(smsc.seen).toEqual([]);
  });
});
