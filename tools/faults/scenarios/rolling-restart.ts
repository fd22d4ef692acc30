import type { Field } from '../field.js';
import type { Scenario } from '../scenario.js';
import type { SupervisedProcess } from '../system/supervised-process.js';

export const rollingRestart: Scenario = {
  name: 'rolling-restart',
  says: 'SIGTERM of each gateway and worker in turn under load: no client sees an error, nothing is sent twice',
  recovery: 'gateway has ended -> its successor accepts',
  rounds: 8,
  pauseMs: [500, 1_500],
  expects: { clientErrorsMax: 0, orderlyEnds: true },
  async strike(field, round) {
    const { gateways, workers, processes } = field.system;
    const order = [gateways[0], workers[0], gateways[1], workers[1]];
    const victim = order[round % order.length] ?? field.random.pick(processes);
    field.note('rolling-restart', victim.name);
    await restart(field, victim);
    field.mended('rolling-restart', victim.name);
  },
};

/** SIGTERM, an orderly end, and a successor that is ready. */
export async function restart(field: Field, victim: SupervisedProcess): Promise<void> {
  const { gateways } = field.system;
  const end = await victim.terminate();
  if (end !== 0) field.complain(`${victim.name} was asked to end and ended with ${end}`);
  if (gateways.includes(victim)) field.awaitAccept({ fromMs: Date.now(), gateway: gateways.indexOf(victim) });
  // A deployment goes on only when the new one is up.
  await field.pause(200);
  await victim.ready(field.signal);
}
