import type { CarrierBehaviour } from '../../harness/simulator-control.js';
import type { Field, Lengths } from '../field.js';
import { IN_DOUBT_FLAGS, type Scenario } from '../scenario.js';

/** How the carrier behaves when nothing is wrong: as the run started it. */
const WELL = { latencyMs: 10, latencySpreadMs: 0, throttleRate: 0, errorRate: 0, submitsPerSecond: 0 } as const;
/** Below the wait of a segment in doubt for its receipt, and past it together with the time-out of a submit. */
const LOSS_MS = { usual: [2_000, 75_000], short: [1_000, 6_000] } as const;
const SLOW_MS = { usual: [30_000, 90_000], short: [5_000, 15_000] } as const;
const STORM_MS = { usual: [3_000, 30_000], short: [1_000, 4_000] } as const;
const REFUSAL_MS = { usual: [5_000, 180_000], short: [2_000, 8_000] } as const;

/** Clients see nothing of what goes wrong at the carrier. */
const USUAL = {
  recovery: 'carrier well again -> dispatch goes on',
  clientErrorsMax: 0,
} as const;

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

export const CARRIER_SCENARIOS: readonly Scenario[] = [
  {
    ...USUAL,
    name: 'response-loss',
    says: 'submit_sm reaches the carrier and its response is lost; receipts get through, or are lost as well',
    recovery: 'responses come again -> dispatch goes on',
    system: { links: ['worker-carrier'] },
    rounds: 6,
    async strike(field) {
      const { simulator } = field.system;
      const link = field.system.link('worker-carrier');
      const doReceiptsPass = field.random.chance(0.5);
      const lengthMs = field.lengthMs(LOSS_MS);
      const detail = `receipts ${doReceiptsPass ? 'pass' : 'are lost'}, for ${lengthMs} ms`;
      const lose = (lostResponseRate: number) => simulator.change({ behaviour: { lostResponseRate } });
      const [begin, end] = doReceiptsPass
        ? [() => lose(1), () => lose(0)]
        : [() => link.loseResponses(), () => link.mend()];
      field.awaitDispatch(await field.spoil('response-loss', detail, lengthMs, begin, end));
    },
    conclude: excuseRepeats,
  },
  {
    ...USUAL,
    name: 'carrier-slow',
    says: 'responses take 5 to 60 s, below and past the time-out of a submit',
    rounds: 3,
    strike: (field) => misbehave(field, 'carrier-slow', { latencyMs: 5_000, latencySpreadMs: 55_000 }, SLOW_MS),
    conclude: excuseRepeats,
  },
  {
    ...USUAL,
    name: 'carrier-throttle',
    says: 'storms of ESME_RTHROTTLED: by chance, or over a low rate',
    rounds: 6,
    strike(field) {
      const change: CarrierBehaviour = field.random.chance(0.5)
        ? { throttleRate: field.random.between(30, 100) / 100 }
        : { submitsPerSecond: field.random.between(1, 50) };
      return misbehave(field, 'carrier-throttle', change, STORM_MS);
    },
  },
  {
    ...USUAL,
    name: 'carrier-error',
    says: 'the carrier answers ESME_RSYSERR for a while, to some or to all',
    rounds: 6,
    strike(field) {
      const change = { errorRate: field.random.between(30, 100) / 100 };
      return misbehave(field, 'carrier-error', change, STORM_MS);
    },
  },
  {
    ...USUAL,
    name: 'carrier-disconnect',
    says: 'the carrier drops its connections with windows in flight',
    simulatorFlags: IN_DOUBT_FLAGS,
    recovery: 'connections dropped -> dispatch goes on',
    rounds: 20,
    pauseMs: [500, 2_500],
    async strike(field) {
      field.allowWindow();
      const fromMs = field.note('carrier-disconnect');
      await field.system.simulator.change({ disconnects: true });
      field.awaitDispatch(fromMs);
    },
  },
  {
    ...USUAL,
    name: 'carrier-refuse',
    says: 'the carrier drops its connections and refuses binds, for seconds to minutes',
    simulatorFlags: IN_DOUBT_FLAGS,
    recovery: 'binds are taken again -> dispatch goes on',
    rounds: 3,
    async strike(field) {
      const { simulator } = field.system;
      const lengthMs = field.lengthMs(REFUSAL_MS);
      field.allowWindow();
      const refuse = () => simulator.change({ refusesBinds: true, disconnects: true });
      const take = () => simulator.change({ refusesBinds: false });
      field.awaitDispatch(await field.spoil('carrier-refuse', `for ${lengthMs} ms`, lengthMs, refuse, take));
      // A worker tries to bind again after up to a minute; a fault before that would be a longer one, not another one.
      await field.recovered();
    },
  },
  {
    ...USUAL,
    name: 'carrier-settings',
    says: 'an operator changes how a carrier gets its messages: in parts or whole, form, coding, sender',
    recovery: 'settings changed -> dispatch goes on',
    rounds: 20,
    pauseMs: [500, 3_000],
    async strike(field) {
      const way = field.random.shuffle(WAYS)[0] ?? [];
      const unset = UNSET.filter((flag) => !way.includes(`--${flag}`)).flatMap((flag) => ['--unset', flag]);
      const alphabet = way.includes('--alphabet') ? [] : ['--alphabet', 'gsm0338'];
      const fromMs = field.note('carrier-settings', way.length === 0 ? 'as usual' : way.join(' '));
      await field.system.smsctl.run('carrier', 'set', 'simulator', ...way, ...alphabet, ...unset);
      field.awaitDispatch(fromMs);
    },
  },
];

async function misbehave(field: Field, name: string, behaviour: CarrierBehaviour, lengths: Lengths): Promise<void> {
  const { simulator } = field.system;
  const lengthMs = field.lengthMs(lengths);
  const detail = `${JSON.stringify(behaviour)} for ${lengthMs} ms`;
  const begin = () => simulator.change({ behaviour });
  field.awaitDispatch(await field.spoil(name, detail, lengthMs, begin, () => simulator.change({ behaviour: WELL })));
}

/**
 * Excuses as duplicates what the database says was in doubt and submitted again, and no more: a window is no bound
 * where responses are late or lost for longer than a submit waits for one.
 */
export async function excuseRepeats(field: Field): Promise<void> {
  const { again, byReceipt } = await field.facts.inDoubt();
  field.duplicatesMax += again;
  const settled = `orders in doubt that a receipt or late answer settled ${byReceipt}`;
  field.measures.push(`segments in doubt that were submitted again ${again}, ${settled}`);
}
