import type { Link } from '../../harness/link.js';
import type { LinkName } from '../../harness/links.js';
import type { Field } from '../field.js';
import { IN_DOUBT_FLAGS, type Scenario } from '../scenario.js';
import { refilled } from './redis.js';

const LATENCY_MS = [200, 2_000] as const;
/** Past every timeout that a gateway or worker has towards its servers, or well below it. */
const LENGTH_MS = { usual: [500, 40_000], short: [500, 8_000] } as const;

const WAYS: Readonly<Record<string, (link: Link, latencyMs: number) => void>> = {
  cut: (link) => link.cut(),
  reset: (link) => link.reset(),
  latency: (link, latencyMs) => link.delayBy(latencyMs),
  hang: (link) => link.hang(),
};
const ROUNDS = 12;

export const NETWORK_SCENARIOS: readonly Scenario[] = [
  {
    name: 'network-postgres',
    says: 'the link of gateways or workers to PostgreSQL is cut, reset, slow, or hangs half-open',
    simulatorFlags: IN_DOUBT_FLAGS,
    recovery: 'link mended -> first accepted send (gateways), dispatch goes on (workers)',
    system: { links: ['gateway-postgres', 'worker-postgres'] },
    rounds: ROUNDS,
    async strike(field) {
      const link: LinkName = field.random.pick(['gateway-postgres', 'worker-postgres']);
      // What the workers had submitted and could not record is in doubt, and each round may find another window so.
      if (link === 'worker-postgres') field.allowWindow();
      const fromMs = await spoilLink(field, link);
      if (link === 'gateway-postgres') field.awaitAccept(fromMs);
      else field.awaitDispatch(fromMs);
    },
  },
  {
    name: 'network-redis',
    says: 'the link of gateways or workers to Redis is cut, reset, slow, or hangs half-open; clients see nothing of it',
    recovery: 'link mended -> nothing accepted before is still waiting to be claimed',
    queue: 'redis',
    system: { links: ['gateway-redis', 'worker-redis'] },
    rounds: ROUNDS,
    clientErrorsMax: 0,
    async strike(field) {
      await refilled(field, await spoilLink(field, field.random.pick(['gateway-redis', 'worker-redis'])));
    },
  },
  {
    name: 'network-smpp',
    says: 'the link of the workers to the carrier is cut, reset, slow, or hangs half-open',
    simulatorFlags: IN_DOUBT_FLAGS,
    recovery: 'link mended -> dispatch goes on',
    system: { links: ['worker-carrier'] },
    rounds: ROUNDS,
    clientErrorsMax: 0,
    async strike(field) {
      field.allowWindow();
      field.awaitDispatch(await spoilLink(field, 'worker-carrier'));
      // A worker tries to bind again after up to a minute; a fault before that would be a longer one, not another one.
      await field.recovered();
    },
  },
];

/** Spoils a link in a way and for a time that the seed gives. Resolves to when it was mended. */
function spoilLink(field: Field, name: LinkName): Promise<number> {
  const link = field.system.link(name);
  const [kind, spoil] = field.random.pick(Object.entries(WAYS));
  const latencyMs = field.random.between(...LATENCY_MS);
  const lengthMs = kind === 'reset' ? 0 : field.lengthMs(LENGTH_MS);
  const detail = `${kind}${kind === 'latency' ? ` ${latencyMs} ms` : ''} for ${lengthMs} ms`;
  return field.spoil(
    `network-${name}`,
    detail,
    lengthMs,
    () => spoil(link, latencyMs),
    () => link.mend(),
  );
}
