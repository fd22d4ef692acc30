import { migrateAll } from '../../../scripts/database/migrate-all.js';
import { startEmbeddedPostgres } from '../../../scripts/postgres/embedded-postgres.js';
import { Teardown } from '../../../scripts/supervisor/teardown.js';
import { runTask } from '../../harness/run-task.js';
import { Smsctl } from '../../harness/smsctl.js';
import { type FillOptions, parseFillCommandLine } from './command-line.js';
import { fillDatabase } from './fill-database.js';
import { filledFolder, markFilled, startForFilling } from './filled-cluster.js';

const RUN_TIMEOUT_MS = 24 * 60 * 60_000;

const options = parseFillCommandLine(process.argv.slice(2));
const teardown = new Teardown();

await runTask('npm run bench:fill', RUN_TIMEOUT_MS, async (signal, say) => {
  try {
    const { DATABASE_URL: url } = process.env;
    if (url === undefined) await fillOwnCluster(options, signal, say);
    else await fill(options, url, signal, say);
    return true;
  } finally {
    await teardown.run((error) => say(`while stopping: ${error instanceof Error ? error.message : error}`));
  }
});

type Say = (line: string) => void;

async function fillOwnCluster(wanted: FillOptions, signal: AbortSignal, say: Say): Promise<void> {
  const folder = filledFolder(wanted.dir);
  const filling = await startForFilling(folder);
  teardown.add(() => filling.stop());
  const facts = await fill({ ...wanted, verify: false }, filling.url, signal, say);
  await filling.stop();
  markFilled(folder, facts);
  say(`kept in ${folder}; measure on it with: npm run bench -- --only flat --dir ${wanted.dir}`);
  if (!wanted.verify) return;
  // With the settings that it is measured with.
  const server = await startEmbeddedPostgres({ dataDir: folder });
  teardown.add(() => server.stop());
  await verify(server.url, say);
}

async function fill(wanted: FillOptions, url: string, signal: AbortSignal, say: Say): Promise<Record<string, unknown>> {
  await migrateAll(url);
  const { messages, accounts, days, seed } = wanted;
  say(`filling with ${messages.toLocaleString('en-US')} messages of ${accounts} accounts ...`);
  const times = await fillDatabase(url, wanted, signal, say);
  const all = times.plan + times.messages + times.vacuum;
  const parts = Object.entries(times).map(([part, time]) => `${part} ${time.toFixed(0)} s`);
  process.stdout.write(`filled in ${all.toFixed(0)} s: ${parts.join(', ')}\n`);
  if (wanted.verify) await verify(url, say);
  return { at: new Date().toISOString(), messages, accounts, days, seed, seconds: times };
}

async function verify(url: string, say: Say): Promise<void> {
  say('smsctl ledger verify ...');
  const startedAt = performance.now();
  const environment = { DATABASE_URL: url, PATH: process.env.PATH ?? '' };
  const { messages, journalEntries, accounts } = await new Smsctl(environment).run('ledger', 'verify');
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  process.stdout.write(
    `ledger clean after ${seconds} s: ${messages} messages, ${journalEntries} journal entries, ${accounts} accounts\n`,
  );
}
