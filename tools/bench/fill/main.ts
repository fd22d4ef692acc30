import { migrateAll } from '../../../scripts/database/migrate-all.js';
import { startEmbeddedPostgres } from '../../../scripts/postgres/embedded-postgres.js';
import { Teardown } from '../../../scripts/supervisor/teardown.js';
import { Smsctl } from '../service/smsctl.js';
import { type FillOptions, parseFillCommandLine } from './command-line.js';
import { fillDatabase } from './fill-database.js';
import { filledFolder, markFilled, startForFilling } from './filled-cluster.js';

const INTERRUPTED = 130;

const options = parseFillCommandLine(process.argv.slice(2), process.env.DATABASE_URL);
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    process.exitCode = INTERRUPTED;
    interruption.abort(new Error('interrupted'));
  });
}
const say = (line: string) => process.stderr.write(`${line}\n`);
const teardown = new Teardown();
try {
  if (options.databaseUrl === undefined) await fillOwnCluster(options);
  else await fill(options, options.databaseUrl);
} catch (error) {
  process.exitCode ||= 1;
  const reason: unknown = interruption.signal.aborted ? interruption.signal.reason : error;
  say(`npm run bench:fill: ${reason instanceof Error ? reason.message : reason}`);
} finally {
  await teardown.run((error) => say(`while stopping: ${error instanceof Error ? error.message : error}`));
}

async function fillOwnCluster(wanted: FillOptions): Promise<void> {
  const folder = filledFolder(wanted.dir);
  const filling = await startForFilling(folder);
  teardown.add(() => filling.stop());
  const facts = await fill({ ...wanted, isVerified: false }, filling.url);
  await filling.stop();
  markFilled(folder, facts);
  say(`kept in ${folder}; measure on it with: npm run bench -- --only flat --dir ${wanted.dir}`);
  if (!wanted.isVerified) return;
  // With the settings that it is measured with.
  const server = await startEmbeddedPostgres({ dataDir: folder });
  teardown.add(() => server.stop());
  await verify(server.url);
}

async function fill(wanted: FillOptions, url: string): Promise<Record<string, unknown>> {
  await migrateAll(url);
  const { messages, accounts, days, seed } = wanted;
  say(`filling with ${messages.toLocaleString('en-US')} messages of ${accounts} accounts ...`);
  const times = await fillDatabase(url, wanted, interruption.signal, say);
  const all = times.plan + times.messages + times.vacuum;
  const parts = Object.entries(times).map(([part, time]) => `${part} ${time.toFixed(0)} s`);
  process.stdout.write(`filled in ${all.toFixed(0)} s: ${parts.join(', ')}\n`);
  if (wanted.isVerified) await verify(url);
  return { at: new Date().toISOString(), messages, accounts, days, seed, seconds: times };
}

async function verify(url: string): Promise<void> {
  say('smsctl ledger verify ...');
  const startedAt = performance.now();
  const environment = { DATABASE_URL: url, PATH: process.env.PATH ?? '' };
  const { messages, journalEntries, accounts } = await new Smsctl(environment).run('ledger', 'verify');
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  process.stdout.write(
    `ledger clean after ${seconds} s: ${messages} messages, ${journalEntries} journal entries, ${accounts} accounts\n`,
  );
}
