import type { Scenario } from '../scenario.js';

export const gatewayKill: Scenario = {
  name: 'gateway-kill',
  says: 'kill -9 of a gateway at random moments; the other one goes on',
  recovery: 'gateway killed -> it accepts again',
  rounds: 20,
  pauseMs: [500, 2_500],
  async strike(field) {
    const { gateways } = field.system;
    const victim = await field.victim(gateways);
    const fromMs = field.note('gateway-kill', victim.name);
    await victim.kill();
    field.awaitAccept({ fromMs, gateway: gateways.indexOf(victim) });
  },
};
