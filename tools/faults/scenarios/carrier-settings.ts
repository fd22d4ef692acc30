import type { Scenario } from '../scenario.js';

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
