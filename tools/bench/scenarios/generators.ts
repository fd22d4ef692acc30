import type { Bench } from '../bench.js';
import type { LoadJob } from '../generator/job.js';

const CREATED = 201;

/** The echo under both generators: a generator whose ceiling is near a figure would be measuring itself. */
export async function compareGenerators(bench: Bench): Promise<void> {
  const { apiKey } = bench.accounts.single;
  const shoot = async (mode: LoadJob['mode']) => {
    const request = { kind: 'send', apiKey } as const;
    const { connections } = bench.options;
    const job = { port: bench.service.echoPort, connections, request, expectedStatus: CREATED };
    return (await bench.measure(job, mode)).window;
  };
  const own = [];
  const autocannon = [];
  for (let round = 0; round < bench.options.windows; round++) {
    own.push(await shoot('closed'));
    autocannon.push(await shoot('autocannon'));
  }
  bench.add({ id: 'generator-own', title: 'echo, own generator', unit: 'requests', windows: own });
  bench.add({
    id: 'generator-autocannon',
    title: 'echo, autocannon',
    unit: 'requests',
    windows: autocannon,
    yardstick: 'generator-own',
  });
}
