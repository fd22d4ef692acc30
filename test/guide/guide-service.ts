import { pino } from 'pino';
import { loadConfig } from '#config';
import { bookDeposit, createAccount, Database, seedDemo } from '#persistence';
import { startSimulator } from '../../apps/carrier-simulator/simulator.js';
import { startGateway } from '../../apps/gateway/start-gateway.js';
import { startWebhooks } from '../../apps/webhooks/start-webhooks.js';
import { startWorker } from '../../apps/worker/start-worker.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { openTestDatabase, TEST_SECRETS_KEY } from '../support/secrets.js';
import { expectCleanLedger } from '../support/test-ledger.js';

const log = pino({ level: 'silent' });

/** The service as `npm start` sets it up: gateway, worker, webhooks, simulated carrier, the default tariffs. */
export class GuideService {
  private constructor(
    private readonly store: TestDatabase,
    private readonly database: Database,
    private readonly parts: readonly { close(): Promise<void> }[],
    readonly url: string,
  ) {}

  static async start(): Promise<GuideService> {
    const store = await createTestDatabase();
    const database = await openTestDatabase(store.url, 3);
    const simulator = await startSimulator({});
    await seedDemo(database, { tariffsDir: 'data/tariffs', simulator });
    const config = loadConfig({
      PORT: '0',
      HOST: '127.0.0.1',
      OPERATOR_PORT: '0',
      WORKER_METRICS_PORT: '0',
      LOG_LEVEL: 'silent',
      SHUTDOWN_NOTICE_MS: '0',
      SECRETS_KEY: TEST_SECRETS_KEY,
      DATABASE_URL: store.url,
      WEBHOOKS_METRICS_PORT: '0',
      WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    });
    const gateway = await startGateway(config, log);
    const worker = await startWorker(config, log);
    const webhooks = await startWebhooks(config, log);
    return new GuideService(
      store,
      database,
      [webhooks, worker, gateway, simulator],
      `http://127.0.0.1:${gateway.port}`,
    );
  }

  /** A new account with 100 EUR, as the demo account has them. */
  async account(name: string): Promise<string> {
    const { account, apiKey } = await createAccount(this.database, { name, currency: 'EUR' });
    await bookDeposit(this.database, account.accountId, { amount: 100_000_000n, currency: 'EUR', reference: 'demo' });
    return apiKey;
  }

  async close(): Promise<void> {
    for (const part of this.parts) await part.close();
    await expectCleanLedger(this.database);
    await this.database.close();
    await this.store.drop();
  }
}
