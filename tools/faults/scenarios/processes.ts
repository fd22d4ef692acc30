import { awaitFact } from '../../harness/await-fact.js';
import type { ServiceProcess } from '../../harness/service-process.js';
import type { Field } from '../field.js';
import { IN_DOUBT_FLAGS, type Scenario } from '../scenario.js';

/** How far a webhook is, is stored four times a second; a busy machine may take longer. */
const PLACE_STORED_MS = 3_000;
/** When webhooks processes were killed. */
const killedAtMs = new WeakMap<Field, readonly number[]>();

/** Past the lease of 15 s alone, and past the 30 s in which an order in doubt waits for its receipt as well. */
const WORKER_STALL_MS = { usual: [17_000, 60_000], short: [5_000, 12_000] } as const;
/** Long enough that either version does all there is to do on the new schema, beside the other one. */
const SIDE_BY_SIDE_MS = { usual: [4_000, 10_000], short: [2_000, 4_000] } as const;

export const PROCESS_SCENARIOS: readonly Scenario[] = [
  {
    name: 'gateway-kill',
    says: 'kill -9 of a gateway at random moments; the other one goes on',
    recovery: 'gateway killed -> it accepts again',
    rounds: 20,
    // A gateway takes a second or two to start.
    pauseMs: [1_000, 4_000],
    async strike(field) {
      await field.killGateway(await field.victim(field.system.gateways), 'gateway-kill');
    },
  },
  {
    name: 'worker-kill',
    says: 'kill -9 of a worker with its window in flight; the other one takes over',
    simulatorFlags: IN_DOUBT_FLAGS,
    recovery: 'worker killed -> nothing of what it held is unattended',
    rounds: 20,
    // Somebody has to live long enough to take over.
    pauseMs: [2_000, 6_000],
    async strike(field) {
      const victim = await field.victim(field.system.workers);
      const { pid } = victim;
      const fromMs = await field.killWorker(victim, 'worker-kill', `${victim.name} pid ${pid}`);
      await awaitTakeOver(field, pid, fromMs);
    },
  },
  {
    name: 'webhooks-kill',
    says: 'kill -9 of a webhooks process; the other one takes over its webhooks',
    recovery: 'process killed -> another one has its webhooks',
    rounds: 10,
    async strike(field) {
      const { system, facts } = field;
      // A process that has just started has no webhook, and its death would prove nothing.
      const victim = await awaitFact('a process has webhooks', 60_000, field.signal, async () => {
        const one = field.random.pick(system.webhooks);
        return (await facts.webhooksOf(one.pid)) > 0 ? one : undefined;
      });
      const { pid } = victim;
      const fromMs = field.note('webhooks-kill', `${victim.name} pid ${pid}`);
      await victim.kill();
      field.awaitRecovery('its webhooks are taken over', fromMs, async () => (await facts.webhooksOf(pid)) === 0);
      // Each kill alone, so that `conclude` can tell which one a repeated event belongs to.
      await field.recovered();
      killedAtMs.set(field, [...(killedAtMs.get(field) ?? []), fromMs]);
    },
    /**
     * An event may come again that had come shortly before a kill, because its place was not stored yet. If it was
     * refused then, it comes from its place and as a retry, both after the kill.
     */
    async conclude(field) {
      const repeats = field.stage.events?.repeats ?? [];
      field.measures.push(`${repeats.length} events came again after a kill`);
      const kills = killedAtMs.get(field) ?? [];
      const isExcused = (cameAtMs: number) => kills.some((atMs) => Math.abs(atMs - cameAtMs) < PLACE_STORED_MS);
      const strange = repeats.filter(({ firstAtMs, takenAtMs }) => !isExcused(firstAtMs) && !isExcused(takenAtMs));
      const [first, ...more] = strange;
      if (first !== undefined) field.complain(`event ${first.id} and ${more.length} others came again for no kill`);
    },
  },
  {
    name: 'worker-stall',
    says: 'SIGSTOP of a worker past its lease, then SIGCONT: what it still writes is fenced',
    simulatorFlags: IN_DOUBT_FLAGS,
    recovery: 'worker stalled -> nothing of what it held is unattended',
    rounds: 3,
    async strike(field) {
      const victim = await field.victim(field.system.workers);
      const { name, pid } = victim;
      const stallMs = field.lengthMs(WORKER_STALL_MS);
      field.allowWindow(1);
      const stall = async () => {
        const fromMs = Date.now();
        victim.pause();
        await awaitTakeOver(field, pid, fromMs);
      };
      await field.spoil('worker-stall', `${name} pid ${pid} for ${stallMs} ms`, stallMs, stall, () => victim.resume());
      await field.pause(field.random.between(3_000, 6_000));
    },
  },
  {
    name: 'rolling-restart',
    says: 'SIGTERM of each gateway and worker in turn under load: no client sees an error, nothing is sent twice',
    recovery: 'gateway has ended -> its successor accepts',
    rounds: 8,
    pauseMs: [500, 1_500],
    clientErrorsMax: 0,
    async strike(field, round) {
      const { gateways, workers, processes } = field.system;
      const order = [gateways[0], workers[0], gateways[1], workers[1]];
      const victim = order[round % order.length] ?? field.random.pick(processes);
      field.note('rolling-restart', victim.name);
      await restart(field, victim);
      field.mended('rolling-restart', victim.name);
    },
  },
  {
    name: 'upgrade',
    says: 'a service of an earlier version (--from) is migrated and replaced under load: no client sees it',
    recovery: 'gateway of the earlier version has ended -> its successor accepts',
    startsEarlier: true,
    missing: (earlierVersion) =>
      earlierVersion === undefined ? '--from with the folder of an earlier version' : undefined,
    rounds: 1,
    pauseMs: [3_000, 6_000],
    clientErrorsMax: 0,
    async strike(field) {
      const { system } = field;
      field.note('upgrade', 'schema');
      await system.migrate();
      field.mended('upgrade', 'schema');
      // docs/operations.md lets operators choose.
      const { gateways, workers } = system;
      for (const victim of field.random.chance(0.5) ? [...gateways, ...workers] : [...workers, ...gateways]) {
        await field.pause(field.lengthMs(SIDE_BY_SIDE_MS));
        field.note('upgrade', victim.name);
        system.upgrade(victim);
        await restart(field, victim);
        field.mended('upgrade', victim.name);
      }
    },
  },
];

/**
 * Taken over: claimed anew, ended, or recorded as in doubt by the reconciler, which then decides by the carrier's
 * policy. A worker that held nothing has nothing to be taken over, and no recovery time.
 */
async function awaitTakeOver(field: Field, pid: number, fromMs: number): Promise<void> {
  const unattended = () => field.facts.unattendedOf(pid);
  if ((await unattended().catch(() => undefined)) === 0) return;
  field.awaitRecovery(`the orders of worker ${pid} are taken over`, fromMs, async () => (await unattended()) === 0);
}

/** SIGTERM, an orderly end, and a successor that is ready. */
async function restart(field: Field, victim: ServiceProcess): Promise<void> {
  await field.terminate(victim);
  if (field.system.gateways.includes(victim)) field.awaitAccept(Date.now(), victim);
  // A deployment goes on only when the new one is up.
  await field.pause(200);
  await victim.ready(field.signal);
}
