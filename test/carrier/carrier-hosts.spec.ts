import type { LookupFunction } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { parseCarrierUrl } from '#carrier';
import { freePort } from '../../scripts/process/free-port.js';
import { ScriptedSmsc } from '../support/scripted-smsc.js';
import { TestCarrier } from '../support/test-carrier.js';
import { until } from '../support/until.js';

const closers: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function anSmsc(host: string, port = 0): Promise<ScriptedSmsc> {
  const smsc = await ScriptedSmsc.listen(undefined, host, port);
  closers.push(() => smsc.close());
  return smsc;
}

function started(
  port: number,
  settings: ConstructorParameters<typeof TestCarrier>[1],
  lookup?: LookupFunction,
): TestCarrier {
  const subject = new TestCarrier({ port }, settings, lookup === undefined ? {} : { lookup });
  closers.unshift(() => subject.carrier.close(0));
  subject.carrier.start();
  return subject;
}

/** A resolver that knows one host with these addresses. */
function resolvesTo(...addresses: string[]): LookupFunction {
  return (_host, _options, answer) =>
    answer(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
}

describe('where a carrier is', () => {
  test('an IPv6 address in the URL is bound to', async () => {
    const smsc = await anSmsc('::1');
    const subject = started(smsc.port, parseCarrierUrl(`smpp://esme:pw@[::1]:${smsc.port}`));
    await subject.untilBound();
    expect(await subject.submit()).toMatchObject({ kind: 'accepted' });
  });

  test('the other addresses of a name are tried when the first refuses the connection', async () => {
    const smsc = await anSmsc('127.0.0.1');
    const subject = started(smsc.port, { host: 'smsc.example.net' }, resolvesTo('127.0.0.3', '127.0.0.2', '127.0.0.1'));
    await subject.untilBound();
    expect(subject.logLines.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  test('a name none of whose addresses takes connections is said so, also with TLS', async () => {
    const port = await freePort();
    const subject = started(port, { host: 'smsc.example.net', tls: true }, resolvesTo('127.0.0.2', '127.0.0.1'));
    await until('an attempt', () => subject.logLines.length > 0);
    const reason = 'the carrier refused the connection (ECONNREFUSED)';
    expect(subject.logLines[0]?.fields).toMatchObject({ reason });
  });

  test('an address that takes connections and refuses binds is not tried for ever', async () => {
    const good = await anSmsc('127.0.0.1');
    const standby = await anSmsc('127.0.0.2', good.port);
    standby.onBind = (pdu) => pdu.connection.respond(pdu, 0x0d);
    const subject = started(good.port, { host: 'smsc.example.net' }, resolvesTo('127.0.0.2', '127.0.0.1'));
    await subject.untilBound();
    expect(standby.connections).toHaveLength(1);
  });

  test('a name that cannot be resolved is said and tried again', async () => {
    const fails: LookupFunction = (_host, _options, answer) =>
      answer(Object.assign(new Error('no such host'), { code: 'ENOTFOUND' }), []);
    const subject = started(1, { host: 'smsc.example.net' }, fails);
    await until('two attempts', () => subject.logLines.length >= 2);
    expect(subject.logLines[0]?.fields).toMatchObject({
      reason: 'the host name was not found (ENOTFOUND)',
      host: 'smsc.example.net',
    });
  });
});
