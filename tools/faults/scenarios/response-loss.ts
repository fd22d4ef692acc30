import type { Scenario } from '../scenario.js';
import { excuseMadeAgain } from './made-again.js';

/** Below the wait of a segment in doubt for its receipt, and past it together with the time-out of a submit. */
const LENGTH_MS = [2_000, 75_000] as const;
const SHORT_LENGTH_MS = [1_000, 6_000] as const;

export const responseLoss: Scenario = {
  name: 'response-loss',
  says: 'submit_sm reaches the carrier and its response is lost; receipts get through, or are lost as well',
  recovery: 'responses come again -> dispatch goes on',
  links: ['worker-carrier'],
  rounds: 6,
  pauseMs: [1_000, 3_000],
  expects: { clientErrorsMax: 0 },
  async strike(field) {
    const { carrierControl } = field.system;
    const doReceiptsPass = field.random.chance(0.5);
    const lengthMs = field.lengthMs(LENGTH_MS, SHORT_LENGTH_MS);
    const detail = `receipts ${doReceiptsPass ? 'pass' : 'are lost'}, for ${lengthMs} ms`;
    field.note('response-loss', detail);
    const link = field.system.link('worker-carrier');
    try {
      if (doReceiptsPass) await carrierControl.change({ behaviour: { lostResponseRate: 1 } });
      else link.loseResponses();
      await field.pause(lengthMs);
    } finally {
      if (doReceiptsPass) await carrierControl.change({ behaviour: { lostResponseRate: 0 } });
      else link.mend();
    }
    field.awaitDispatch(field.mended('response-loss', detail));
  },
  conclude: excuseMadeAgain,
};
