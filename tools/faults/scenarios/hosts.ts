import { type Loss, Network } from '../../harness/hosts.js';
import type { ServiceProcess } from '../../harness/service-process.js';
import type { Field } from '../field.js';
import { IN_DOUBT_FLAGS, type Scenario } from '../scenario.js';

/** Past every time-out that a gateway or worker has towards its servers, or well below it. */
const LENGTH_MS = { usual: [500, 40_000], short: [500, 6_000] } as const;
const LOSS_PERCENT = [5, 40] as const;

type Way = 'partition' | 'one-way' | 'loss' | 'late';

/** A conversation of a host: its port and which end of it the host is. */
type Conversation = Pick<Loss, 'port' | 'isServer'> & { readonly peer: string };

export const hosts: Scenario = {
  name: 'hosts',
  says: 'gateways and workers on hosts of their own: packets to and from servers and clients are lost, one way or both, or late',
  simulatorFlags: IN_DOUBT_FLAGS,
  recovery: 'host mended -> first accepted send (gateways), dispatch goes on (workers)',
  missing: () => Network.missing(),
  system: { hasHosts: true },
  rounds: 20,
  strike: (field) => spoilHost(field, field.random.pick(waysOf(field))),
  async conclude(field) {
    if (field.system.network?.canDelay !== true) field.measures.push(NOT_LATE);
  },
};

const NOT_LATE = 'this kernel has no sch_netem: no packet was late or out of order';

/** The ways of spoiling a host that this kernel knows. */
export function waysOf({ system }: Field): readonly Way[] {
  const ways: readonly Way[] = ['partition', 'one-way', 'loss'];
  return system.network?.canDelay === true ? [...ways, 'late'] : ways;
}

/** Spoils one conversation of one host, by the seed. */
export async function spoilHost(field: Field, way: Way): Promise<void> {
  const { gateways, workers } = field.system;
  const victim = field.random.pick([...gateways, ...workers]);
  const host = field.system.hostOf(victim);
  const { peer, ...conversation } = field.random.pick(conversationsOf(field, victim));
  const direction = way === 'one-way' ? field.random.pick(['out', 'in'] as const) : 'both';
  const percent = way === 'loss' ? field.random.between(...LOSS_PERCENT) : 100;
  const delayMs = field.random.between(20, 1_000);
  const lateness = { delayMs, jitterMs: Math.round(delayMs / 2), reorderPercent: 25 };
  const lengthMs = field.lengthMs(LENGTH_MS);
  const how = way === 'late' ? `by ${delayMs} ms` : `${direction} ${percent} %`;
  const isWorker = workers.includes(victim);
  // What a worker had submitted and could not record is in doubt, and each round may find another window so.
  if (isWorker) field.allowWindow(1);
  const fromMs = await field.spoil(
    `host-${way}`,
    `${victim.name} and ${way === 'late' ? 'all others' : peer}, ${how} for ${lengthMs} ms`,
    lengthMs,
    () => (way === 'late' ? host.delay(lateness) : host.lose({ ...conversation, direction, percent })),
    () => host.mend(),
  );
  if (isWorker) field.awaitDispatch(fromMs);
  else field.awaitAccept(fromMs, victim);
}

function conversationsOf({ system }: Field, victim: ServiceProcess): readonly Conversation[] {
  const role = system.workers.includes(victim) ? 'worker' : 'gateway';
  const queue = system.redis === undefined ? [] : [`${role}-redis` as const];
  const servers = [`${role}-postgres` as const, ...queue, ...(role === 'worker' ? ['worker-carrier' as const] : [])];
  const conversations = servers.map((name) => ({ peer: name, port: system.link(name).port, isServer: false }));
  if (role === 'worker') return conversations;
  return [...conversations, { peer: 'its clients', port: system.clientPorts.get(victim) ?? 0, isServer: true }];
}
