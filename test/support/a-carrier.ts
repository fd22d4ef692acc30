import { afterEach } from '@jest/globals';
import { ScriptedSmsc } from './scripted-smsc.js';
import { TestCarrier } from './test-carrier.js';

const closers: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

type Options = ConstructorParameters<typeof TestCarrier>;

/** A carrier that is bound to a scripted SMSC of its own; both are closed after the test. */
export async function aCarrier(settings: Options[1] = {}, dependencies: Options[2] = {}) {
  const smsc = await ScriptedSmsc.listen();
  const subject = await TestCarrier.bound(smsc, settings, dependencies);
  closers.push(
    () => subject.carrier.close(0),
    () => smsc.close(),
  );
  return { smsc, subject, carrier: subject.carrier };
}
