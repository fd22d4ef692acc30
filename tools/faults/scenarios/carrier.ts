import type { Field } from '../field.js';
import type { Scenario } from '../scenario.js';
import type { CarrierBehaviour } from '../system/carrier-control.js';
import { excuseMadeAgain } from './made-again.js';

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
    await field.system.carrierControl.change({ disconnects: true });
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
    const { carrierControl } = field.system;
    const lengthMs = field.lengthMs([5_000, 180_000], [2_000, 8_000]);
    field.allowWindow(field.system.workers.length);
    field.note('carrier-refuse', `for ${lengthMs} ms`);
    await carrierControl.change({ refusesBinds: true, disconnects: true });
    try {
      await field.pause(lengthMs);
    } finally {
      await carrierControl.change({ refusesBinds: false });
    }
    field.awaitDispatch(field.mended('carrier-refuse'));
    // A worker tries to bind again after up to a minute; a fault before that would be a longer one, not another one.
    await field.recovered();
  },
};

async function misbehave(
  field: Field,
  name: string,
  change: CarrierBehaviour,
  usualMs: readonly [number, number],
  shortMs: readonly [number, number],
): Promise<void> {
  const { carrierControl } = field.system;
  const lengthMs = field.lengthMs(usualMs, shortMs);
  field.note(name, `${JSON.stringify(change)} for ${lengthMs} ms`);
  await carrierControl.change({ behaviour: change });
  try {
    await field.pause(lengthMs);
  } finally {
    await carrierControl.change({ behaviour: WELL });
  }
  field.awaitDispatch(field.mended(name));
}
