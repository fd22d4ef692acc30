import type { Link } from '../../harness/link.js';
import type { LinkName } from '../../harness/system.js';
import type { Field } from '../field.js';
import type { Scenario } from '../scenario.js';
import { refilled } from './redis.js';

const LATENCY_MS = [200, 2_000] as const;
/** Past every timeout that a gateway or worker has towards its servers, or well below it. */
const LENGTH_MS = [500, 40_000] as const;
const SHORT_LENGTH_MS = [500, 8_000] as const;
const KINDS = ['cut', 'reset', 'latency', 'hang'] as const;

export const networkPostgres: Scenario = {
  name: 'network-postgres',
  says: 'the link of gateways or workers to PostgreSQL is cut, reset, slow, or hangs half-open',
  recovery: 'link mended -> first accepted send (gateways), dispatch goes on (workers)',
  links: ['gateway-postgres', 'worker-postgres'],
  rounds: 12,
  pauseMs: [1_000, 3_000],
  async strike(field) {
    const link: LinkName = field.random.pick(['gateway-postgres', 'worker-postgres']);
    // What the workers had submitted and could not record is in doubt, and each round may find another window so.
    if (link === 'worker-postgres') field.allowWindow(field.system.workers.length);
    const mendedAtMs = await spoil(field, link);
    if (link === 'gateway-postgres') field.awaitAccept({ fromMs: mendedAtMs });
    else field.awaitDispatch(mendedAtMs);
  },
};

export const networkRedis: Scenario = {
  name: 'network-redis',
  says: 'the link of gateways or workers to Redis is cut, reset, slow, or hangs half-open; clients see nothing of it',
  recovery: 'link mended -> nothing accepted before is still waiting to be claimed',
  queue: 'redis',
  links: ['gateway-redis', 'worker-redis'],
  rounds: 12,
  pauseMs: [1_000, 3_000],
  expects: { clientErrorsMax: 0 },
  async strike(field) {
    await refilled(field, await spoil(field, field.random.pick(['gateway-redis', 'worker-redis'])));
  },
};

export const networkSmpp: Scenario = {
  name: 'network-smpp',
  says: 'the link of the workers to the carrier is cut, reset, slow, or hangs half-open',
  recovery: 'link mended -> dispatch goes on',
  links: ['worker-carrier'],
  rounds: 12,
  pauseMs: [1_000, 3_000],
  expects: { clientErrorsMax: 0 },
  async strike(field) {
    field.allowWindow(field.system.workers.length);
    field.awaitDispatch(await spoil(field, 'worker-carrier'));
    // A worker tries to bind again after up to a minute; a fault before that would be a longer one, not another one.
    await field.recovered();
  },
};

/** Spoils a link in a way and for a time that the seed gives. Resolves to when it was mended. */
async function spoil(field: Field, name: LinkName): Promise<number> {
  const link = field.system.link(name);
  const kind = field.random.pick(KINDS);
  const latencyMs = field.random.between(...LATENCY_MS);
  const lengthMs = kind === 'reset' ? 0 : field.lengthMs(LENGTH_MS, SHORT_LENGTH_MS);
  const detail = `${name} ${kind}${kind === 'latency' ? ` ${latencyMs} ms` : ''} for ${lengthMs} ms`;
  field.note('network', detail);
  begin(link, kind, latencyMs);
  try {
    await field.pause(lengthMs);
  } finally {
    link.mend();
  }
  return field.mended('network', detail);
}

function begin(link: Link, kind: (typeof KINDS)[number], latencyMs: number): void {
  if (kind === 'cut') link.cut();
  else if (kind === 'reset') link.reset();
  else if (kind === 'hang') link.hang();
  else link.delayBy(latencyMs);
}
