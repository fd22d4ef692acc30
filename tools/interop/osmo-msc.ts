import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/process/free-port.js';
import { ForeignServer } from './foreign-server.js';
import { type Proof, refusesWrongPassword, withCarrier } from './proofs.js';

/** A whole switching centre: it stores what it is given and tries for days to find the handset. */
export const OSMO_MSC_PROOFS: readonly Proof[] = [
  ['bind, submits, enquire_link, unbind', takesEveryForm],
  ['wrong password', refusesWrongPassword],
];

async function takesEveryForm(server: ForeignServer): Promise<void> {
  const part = { reference: 1, number: 1, total: 2 };
  const segments = [
    ['udh8', { text: 'Hi' }],
    ['udh8', { text: 'grüße', encoding: 'extended' }],
    ['udh8', { text: 'y'.repeat(153), part }],
    ['udh16', { text: 'ж'.repeat(63), encoding: 'extended', part }],
    ['sar', { text: 'y'.repeat(153), part }],
    // It dies of 1,000 octets: its own database cannot store them.
    ['payload', { text: 'y'.repeat(700) }],
  ] as const;
  for (const [concatenation, segment] of segments) {
    const settings = { concatenation, enquireLinkIntervalMs: 50, enquireLinkTimeoutMs: 5_000 };
    await withCarrier(server, settings, async (subject) => {
      assert.equal((await subject.submit(segment)).kind, 'accepted');
      // Several signs of life, each asked for after 50 ms of silence.
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.equal(subject.carrier.state, 'bound');
    });
  }
}

/** Needs SCTP in the kernel for its other interfaces, though nothing here talks to them. */
export async function startOsmoMsc(): Promise<ForeignServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-interop-'));
  const lines = ['log stderr', ' logging filter all 1', ' logging color 0', ' logging level smpp info', 'smpp'];
  lines.push(` local-tcp-ip 127.0.0.1 ${port}`, ' policy closed', ' esme esme', '  password secret');
  writeFileSync(join(folder, 'osmo-msc.cfg'), `${lines.join('\n')}\n`);
  return ForeignServer.spawn('osmo-msc', ['-c', 'osmo-msc.cfg'], folder, port);
}
