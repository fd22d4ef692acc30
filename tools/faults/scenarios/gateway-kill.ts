import type { Scenario } from '../scenario.js';

export const gatewayKill: Scenario = {
  name: 'gateway-kill',
  says: 'kill -9 of a gateway at random moments; the other one goes on',
  recovery: 'gateway killed -> it accepts again',
  rounds: 20,
  // A gateway takes a second or two to start.
  pauseMs: [1_000, 4_000],
  async strike(field) {
    const { gateways } = field.system;
    const victim = await field.victim(gateways);
    const fromMs = field.note('gateway-kill', victim.name);
    await victim.kill();
    field.awaitAccept({ fromMs, gateway: gateways.indexOf(victim) });
  },
};
