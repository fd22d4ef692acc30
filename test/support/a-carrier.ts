import { closedAfterTest } from './closed-after-test.js';
import { ScriptedSmsc } from './scripted-smsc.js';
import { TestCarrier } from './test-carrier.js';

type Options = ConstructorParameters<typeof TestCarrier>;

/** A carrier that is bound to a scripted SMSC of its own; both are closed after the test. */
export async function aCarrier(settings: Options[1] = {}, dependencies: Options[2] = {}) {
  const smsc = await ScriptedSmsc.listen();
  const subject = await TestCarrier.bound(smsc, settings, dependencies);
  closedAfterTest(() => smsc.close());
  closedAfterTest(() => subject.carrier.close(0));
  return { smsc, subject, carrier: subject.carrier };
}
