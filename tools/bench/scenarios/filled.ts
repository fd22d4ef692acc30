import { addApiKey, bookDeposit, Database } from '#persistence';
import type { DatabasePlace } from '../../harness/system.js';
import type { Bench } from '../bench.js';
import type { BenchOptions } from '../command-line.js';
import { filledFolder, isFilled } from '../fill/filled-cluster.js';
import { startBench } from '../start-bench.js';

/** The service on the filled database; all scenarios of a run share it. */
export async function filledBench(bench: Bench): Promise<Bench> {
  if (bench.filled === undefined) {
    bench.say('starting the service on the filled database ...');
    bench.filled = await startBench(bench, filledPlace(bench.options));
  }
  return bench.filled;
}

/** @throws Error when there is none */
export function filledPlace({ database, dir }: BenchOptions): DatabasePlace {
  const place = database ?? filledFolder(dir);
  if (/^postgres(ql)?:\/\//.test(place)) return { url: place };
  if (isFilled(place)) return { folder: place };
  throw new Error(`there is no filled database in ${place}: make one with npm run bench:fill`);
}

/** The account with the most messages, and a key for it. It gets deposits until it has as many as that. */
export async function largestAccount({ service }: Bench, depositsMin = 0) {
  const { url } = service.postgres;
  const database = await Database.open({ url, poolSize: 1, applicationName: 'heliograph-bench-fixtures' });
  try {
    const [row] = await database.query<{ account_id: string; messages: string; deposits: string }>(
      `select account_id, last_sequence as messages, last_deposit as deposits from account_balance
        order by last_sequence desc limit 1`,
    );
    const accountId = row?.account_id ?? '';
    let deposits = Number(row?.deposits ?? 0);
    for (; deposits < depositsMin; deposits += 1) {
      await bookDeposit(database, accountId, { amount: 1_000_000n, currency: 'EUR' });
    }
    const { apiKey } = await addApiKey(database, accountId);
    return { apiKey, messages: Number(row?.messages ?? 0), deposits };
  } finally {
    await database.close();
  }
}
