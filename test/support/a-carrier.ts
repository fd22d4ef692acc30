import { afterEach } from '@jest/globals';
import { ScriptedSmsc } from './scripted-smsc.js';
import { TestCarrier } from './test-carrier.js';

const closers: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A carrier that is bound to a scripted SMSC of its own; both are closed after the test. */
export async function aCarrier(settings: ConstructorParameters<typeof TestCarrier>[1] = {}) {
  const smsc = await ScriptedSmsc.listen();
  const subject = await TestCarrier.bound(smsc, settings);
  closers.push(
    () => subject.carrier.close(0),
    () => smsc.close(),
  );
  return { smsc, subject, carrier: subject.carrier };
}
