import { randomUUID } from 'node:crypto';
import { parseMicros } from '#billing';
import { loadConfig } from '#config';
import { addApiKey, bookDeposit, createAccount, Database, importTariff, setFxRate, verifyLedger } from '#persistence';
import type { QueueBackEnd } from '#queue';
import { createLogger } from '#telemetry';
import type { HEAD_LIMITS } from '../../apps/gateway/http/head-limits.js';
import { type RunningGateway, startGateway } from '../../apps/gateway/start-gateway.js';
import { type NewAccount } from '../../libs/persistence/accounts/accounts.js';
import type { WantedKey } from '../../libs/persistence/accounts/manage-api-keys.js';
import type { AccountSummary } from './contract.js';
import { createTestDatabase } from './database.js';
import { HttpClient, type HttpReply, type RequestOptions } from './http-client.js';
import type { LogLines } from './log-lines.js';
import { CHEAPEST_BACK_END } from './queue.js';
import { clearTestRedis, testRedisUrl } from './redis.js';
import { openTestDatabase, TEST_SECRETS_KEY } from './secrets.js';

/** Prices of a segment, by tariff and prefix. There is none for +999. */
export const TEST_RATES = {
  EUR: { '46': '0.075', '49': '0.0174', '44': '0.05', '1': '0.01', '1242': '0.000001', '33': '0' },
  USD: { '46': '0.08', '1': '0.012' },
  GBP: { '44': '0.04' },
} as const;
/** Answered with a price of 0.075 EUR. */
export const RECIPIENT = '+46700100200';
export const OPERATOR_PASSWORD = 'correct horse battery';

export interface TestGatewayOptions {
  /** Left out: the one that costs less, because a gateway alone only puts its jobs there. */
  readonly backEnd?: QueueBackEnd;
  /** A migrated, empty database elsewhere; unset: one of its own on the suite's server. */
  readonly databaseUrl?: string;
  /** Another gateway on the database of this one. */
  readonly beside?: TestGateway;
  /** Settings as they stand in the environment. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly headLimits?: typeof HEAD_LIMITS;
  /** Takes the lines of its log; unset: it has none. */
  readonly log?: LogLines;
}

export interface TestAccountOptions extends Partial<Pick<NewAccount, 'tariff' | 'rateLimitPerSecond' | 'name'>> {
  readonly currency?: keyof typeof TEST_RATES;
  readonly creditLimit?: string;
  /** In the account's currency; 0 books nothing. */
  readonly deposit?: string;
}

/** A gateway on a database of its own, spoken to over real HTTP. */
export class TestGateway {
  private constructor(
    readonly running: RunningGateway,
    readonly database: Database,
    readonly databaseUrl: string,
    /** What a worker beside it is started with. */
    readonly settings: Readonly<Record<string, string>>,
    readonly http: HttpClient,
    private readonly dropDatabase: (() => Promise<void>) | undefined,
  ) {}

  static async start({
    backEnd = CHEAPEST_BACK_END,
    databaseUrl: given,
    beside,
    settings = {},
    headLimits,
    log,
  }: TestGatewayOptions = {}): Promise<TestGateway> {
    const created = beside === undefined && given === undefined ? await createTestDatabase() : undefined;
    const databaseUrl = given ?? created?.url ?? beside?.databaseUrl ?? '';
    const redisUrl = testRedisUrl();
    if (backEnd === 'redis' && created !== undefined) await clearTestRedis();
    const environment = {
      PORT: '0',
      HOST: '127.0.0.1',
      OPERATOR_PORT: '0',
      OPERATOR_PASSWORD,
      WORKER_METRICS_PORT: '0',
      DATABASE_URL: databaseUrl,
      LOG_LEVEL: 'silent',
      SHUTDOWN_NOTICE_MS: '0',
      // As the whole service of specs has: a session costs 50 ms until it is warm, and three still meet each other.
      DATABASE_POOL_SIZE: '3',
      SECRETS_KEY: TEST_SECRETS_KEY,
      ...(backEnd === 'redis' && redisUrl !== undefined && { REDIS_URL: redisUrl }),
      ...settings,
    };
    const database = await openTestDatabase(databaseUrl, 3);
    if (beside === undefined) await importTestTariffs(database);
    const running = await startGateway(
      loadConfig(environment),
      log?.logger ?? createLogger('gateway', 'silent'),
      headLimits,
    );
    const http = new HttpClient(running.port);
    return new TestGateway(running, database, databaseUrl, environment, http, created?.drop);
  }

  get port(): number {
    return this.running.port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get operatorPort(): number {
    return this.running.operatorPort ?? 0;
  }

  /** An account with 100 units of its currency, unless told otherwise. */
  async account(options: TestAccountOptions = {}): Promise<TestAccount> {
    const { currency = 'EUR', creditLimit = '0', deposit = '100', ...others } = options;
    const { account, apiKey, keyId } = await createAccount(this.database, {
      name: `spec ${randomUUID()}`,
      currency,
      creditLimit: parseMicros(creditLimit),
      ...others,
    });
    const testAccount = new TestAccount(this, account.accountId, keyId, apiKey);
    if (deposit !== '0') await testAccount.deposit(deposit, currency);
    return testAccount;
  }

  /** Closes everything, after the ledger has been found without drift. */
  async close(): Promise<void> {
    this.http.close();
    await this.running.close();
    const { isClean, checks } = await verifyLedger(this.database);
    await this.database.close();
    await this.dropDatabase?.();
    const broken = checks.filter(({ offenders }) => offenders > 0);
    if (!isClean) throw new Error(`the ledger has drifted: ${JSON.stringify(broken)}`);
  }
}

/** An account and what its owner can do. */
export class TestAccount {
  constructor(
    private readonly gateway: TestGateway,
    readonly accountId: string,
    readonly keyId: string,
    readonly apiKey: string,
  ) {}

  request(method: string, path: string, options: RequestOptions = {}): Promise<HttpReply> {
    const headers = { 'X-Authorization': this.apiKey, ...options.headers };
    return this.gateway.http.request(method, path, { ...options, headers });
  }

  get(path: string): Promise<HttpReply> {
    return this.request('GET', path);
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<HttpReply> {
    return this.request('POST', path, { json: body, headers });
  }

  send(body: unknown, headers: Record<string, string> = {}): Promise<HttpReply> {
    return this.post('/v1/message/send', body, headers);
  }

  sendBatch(messages: unknown, headers: Record<string, string> = {}): Promise<HttpReply> {
    return this.post('/v1/message/send-batch', { messages }, headers);
  }

  /** Through another gateway. */
  at(gateway: TestGateway): TestAccount {
    return new TestAccount(gateway, this.accountId, this.keyId, this.apiKey);
  }

  async anotherKey(wanted: WantedKey = {}): Promise<{ keyId: string; apiKey: string }> {
    return addApiKey(this.gateway.database, this.accountId, wanted);
  }

  /** The same account, by another key of it. */
  by({ keyId, apiKey }: { readonly keyId: string; readonly apiKey: string }): TestAccount {
    return new TestAccount(this.gateway, this.accountId, keyId, apiKey);
  }

  /** By a new key of it. */
  async withKey(wanted: WantedKey): Promise<TestAccount> {
    return this.by(await this.anotherKey(wanted));
  }

  async deposit(amount: string, currency = 'EUR'): Promise<void> {
    await bookDeposit(this.gateway.database, this.accountId, { amount: parseMicros(amount), currency });
  }

  /** What nothing but a send, a deposit or a receipt may change. */
  async standing(): Promise<{ balance: number; messages: number }> {
    const { creditRemaining, orderSummary } = (await this.get('/v1/account')).as<AccountSummary>();
    return { balance: creditRemaining, messages: orderSummary.messages.count };
  }
}

async function importTestTariffs(database: Database): Promise<void> {
  for (const [currency, prices] of Object.entries(TEST_RATES)) {
    const rates = Object.entries(prices).map(([prefix, price]) => ({ prefix, price: parseMicros(price) }));
    await importTariff(database, { name: `test-${currency.toLowerCase()}`, currency, rates });
  }
  await setFxRate(database, 'USD', 'EUR', '0.9');
}
