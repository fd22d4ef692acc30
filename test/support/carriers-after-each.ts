import { afterEach } from '@jest/globals';
import { ScriptedSmsc } from './scripted-smsc.js';
import type { TestCarrier } from './test-carrier.js';

/** Servers and carriers of a spec that are closed after each test, the newest first. */
export function closedAfterEach() {
  const closers: Array<() => Promise<void>> = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });
  return {
    async anSmsc(): Promise<ScriptedSmsc> {
      const smsc = await ScriptedSmsc.listen();
      closers.unshift(() => smsc.close());
      return smsc;
    },
    closeAtEnd(subject: TestCarrier): TestCarrier {
      closers.unshift(() => subject.carrier.close(0));
      return subject;
    },
  };
}
