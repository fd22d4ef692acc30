import type { CarrierBehaviour } from '../../harness/simulator-control.js';
import type { Field } from '../field.js';
import type { Scenario } from '../scenario.js';

/** How the carrier behaves when nothing is wrong: as the run started it. */
const WELL = { latencyMs: 10, latencySpreadMs: 0, throttleRate: 0, errorRate: 0, submitsPerSecond: 0 } as const;

const RECOVERY = 'carrier well again -> dispatch goes on';
/** What goes wrong at the carrier is none of the clients' business. */
const UNSEEN = { clientErrorsMax: 0 } as const;
const PAUSE_MS = [1_000, 3_000] as const;

export const carrierSlow: Scenario = {
  name: 'carrier-slow',
  says: 'responses take 5 to 60 s, below and past the time-out of a submit',
  recovery: RECOVERY,
  rounds: 3,
  pauseMs: PAUSE_MS,
  expects: UNSEEN,
  strike: (field) =>
    misbehave(field, 'carrier-slow', { latencyMs: 5_000, latencySpreadMs: 55_000 }, [30_000, 90_000], [5_000, 15_000]),
  conclude: excuseMadeAgain,
};

export const carrierThrottle: Scenario = {
  name: 'carrier-throttle',
  says: 'storms of ESME_RTHROTTLED: by chance, or over a low rate',
  recovery: RECOVERY,
  rounds: 6,
  pauseMs: PAUSE_MS,
  expects: UNSEEN,
  strike(field) {
    const change: CarrierBehaviour = field.random.chance(0.5)
      ? { throttleRate: field.random.between(30, 100) / 100 }
      : { submitsPerSecond: field.random.between(1, 50) };
    return misbehave(field, 'carrier-throttle', change, [3_000, 30_000], [1_000, 4_000]);
  },
};

export const carrierError: Scenario = {
  name: 'carrier-error',
  says: 'the carrier answers ESME_RSYSERR for a while, to some or to all',
  recovery: RECOVERY,
  rounds: 6,
  pauseMs: PAUSE_MS,
  expects: UNSEEN,
  strike: (field) =>
    misbehave(
      field,
      'carrier-error',
      { errorRate: field.random.between(30, 100) / 100 },
      [3_000, 30_000],
      [1_000, 4_000],
    ),
};

export const carrierDisconnect: Scenario = {
  name: 'carrier-disconnect',
  says: 'the carrier drops its connections with windows in flight',
  recovery: 'connections dropped -> dispatch goes on',
  rounds: 20,
  pauseMs: [500, 2_500],
  expects: UNSEEN,
  async strike(field) {
    field.allowWindow(field.system.workers.length);
    const fromMs = field.note('carrier-disconnect');
    await field.system.simulator.change({ disconnects: true });
    field.awaitDispatch(fromMs);
  },
};

export const carrierRefuse: Scenario = {
  name: 'carrier-refuse',
  says: 'the carrier drops its connections and refuses binds, for seconds to minutes',
  recovery: 'binds are taken again -> dispatch goes on',
  rounds: 3,
  pauseMs: PAUSE_MS,
  expects: UNSEEN,
  async strike(field) {
    const { simulator } = field.system;
    const lengthMs = field.lengthMs([5_000, 180_000], [2_000, 8_000]);
    field.allowWindow(field.system.workers.length);
    field.note('carrier-refuse', `for ${lengthMs} ms`);
    await simulator.change({ refusesBinds: true, disconnects: true });
    try {
      await field.pause(lengthMs);
    } finally {
      await simulator.change({ refusesBinds: false });
    }
    field.awaitDispatch(field.mended('carrier-refuse'));
    // A worker tries to bind again after up to a minute; a fault before that would be a longer one, not another one.
    await field.recovered();
  },
};

/** Below the wait of a segment in doubt for its receipt, and past it together with the time-out of a submit. */
const LOSS_MS = [2_000, 75_000] as const;
const SHORT_LOSS_MS = [1_000, 6_000] as const;

export const responseLoss: Scenario = {
  name: 'response-loss',
  says: 'submit_sm reaches the carrier and its response is lost; receipts get through, or are lost as well',
  recovery: 'responses come again -> dispatch goes on',
  links: ['worker-carrier'],
  rounds: 6,
  pauseMs: [1_000, 3_000],
  expects: { clientErrorsMax: 0 },
  async strike(field) {
    const { simulator } = field.system;
    const doReceiptsPass = field.random.chance(0.5);
    const lengthMs = field.lengthMs(LOSS_MS, SHORT_LOSS_MS);
    const detail = `receipts ${doReceiptsPass ? 'pass' : 'are lost'}, for ${lengthMs} ms`;
    field.note('response-loss', detail);
    const link = field.system.link('worker-carrier');
    try {
      if (doReceiptsPass) await simulator.change({ behaviour: { lostResponseRate: 1 } });
      else link.loseResponses();
      await field.pause(lengthMs);
    } finally {
      if (doReceiptsPass) await simulator.change({ behaviour: { lostResponseRate: 0 } });
      else link.mend();
    }
    field.awaitDispatch(field.mended('response-loss', detail));
  },
  conclude: excuseMadeAgain,
};

/** Ways to write messages that the simulator's log can be read in; each is the usual one but for what it names. */
const WAYS: readonly (readonly string[])[] = [
  [],
  ['--concatenation', 'payload'],
  ['--concatenation', 'sar'],
  ['--concatenation', 'udh16'],
  ['--sender', 'Otherwise'],
  ['--data-coding', '3', '--alphabet', 'latin1'],
];
const UNSET = ['concatenation', 'sender', 'data-coding'];

export const carrierSettings: Scenario = {
  name: 'carrier-settings',
  says: 'an operator changes how a carrier gets its messages: in parts or whole, form, coding, sender',
  recovery: 'settings changed -> dispatch goes on',
  rounds: 20,
  pauseMs: [500, 3_000],
  expects: { clientErrorsMax: 0 },
  async strike(field) {
    const way = field.random.shuffle(WAYS)[0] ?? [];
    const unset = UNSET.filter((flag) => !way.includes(`--${flag}`)).flatMap((flag) => ['--unset', flag]);
    const alphabet = way.includes('--alphabet') ? [] : ['--alphabet', 'gsm0338'];
    const fromMs = field.note('carrier-settings', way.length === 0 ? 'as usual' : way.join(' '));
    await field.system.smsctl.run('carrier', 'set', 'simulator', ...way, ...alphabet, ...unset);
    field.awaitDispatch(fromMs);
  },
};

async function misbehave(
  field: Field,
  name: string,
  change: CarrierBehaviour,
  usualMs: readonly [number, number],
  shortMs: readonly [number, number],
): Promise<void> {
  const { simulator } = field.system;
  const lengthMs = field.lengthMs(usualMs, shortMs);
  field.note(name, `${JSON.stringify(change)} for ${lengthMs} ms`);
  await simulator.change({ behaviour: change });
  try {
    await field.pause(lengthMs);
  } finally {
    await simulator.change({ behaviour: WELL });
  }
  field.awaitDispatch(field.mended(name));
}

/**
 * Excuses as duplicates what the database says was in doubt and made again, and no more: a window is no bound where
 * responses are late or lost for longer than a submit waits for one.
 */
async function excuseMadeAgain(field: Field): Promise<void> {
  const { again, byReceipt } = await field.facts.inDoubt();
  field.allowDuplicates(again);
  field.measures.push(
    `segments in doubt that were made again ${again}, orders in doubt that a receipt or late answer settled ${byReceipt}`,
  );
}
