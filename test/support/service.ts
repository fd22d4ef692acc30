import { pino } from 'pino';
import type { Micros } from '#billing';
import { loadConfig } from '#config';
import { addCarrier, type CarrierSettings, Database, importTariff, type StoredCarrier } from '#persistence';
import type { QueueBackEnd } from '#queue';
import type { Logger } from '#telemetry';
import type { SimulatorOptions } from '../../apps/carrier-simulator/options.js';
import { type RunningSimulator, startSimulator } from '../../apps/carrier-simulator/simulator.js';
import { type RunningGateway, startGateway } from '../../apps/gateway/start-gateway.js';
import { type RunningWorker, startWorker } from '../../apps/worker/start-worker.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { type FundedAccount, openFundedAccount } from './funded-account.js';
import { backEndSettings } from './queue.js';
import { openTestDatabase } from './secrets.js';
import { SHORT_WAITS } from './short-waits.js';
import { expectCleanLedger } from './test-ledger.js';
import { untilEnded, untilStatuses } from './until-statuses.js';

/** What a segment costs to any number, in EUR. */
export const UNIT_PRICE: Micros = 10_000n;
const SILENT = pino({ level: 'silent' });

export interface TestServiceOptions {
  readonly backEnd: QueueBackEnd;
  readonly simulator?: SimulatorOptions;
  /** Over the short waits that specs have. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Ways to the service's database that are not the usual one; `settings` come after them. */
  readonly servers?: (databaseUrl: string) => Readonly<Record<string, string>>;
  /** Of the carrier that is the simulator; `none` leaves it out. */
  readonly carrier?: Partial<CarrierSettings> | 'none';
  /** Workers in this process; 1 when left out. */
  readonly workers?: number;
  /** Of the gateway and the workers; they are silent when it is left out. */
  readonly log?: Logger;
}

/** One message as the API tells of it. */
export interface ListedMessage {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
}

/** The whole service: gateway, workers and carrier simulator over one database, with an account that has 1,000 EUR. */
export class TestService {
  private readonly workers: RunningWorker[] = [];

  private constructor(
    private readonly store: TestDatabase,
    /** As every process of the service reads them. */
    readonly settings: Readonly<Record<string, string>>,
    readonly database: Database,
    private carrierSide: RunningSimulator,
    private readonly gateway: RunningGateway,
    private account: FundedAccount,
    private readonly log: Logger,
  ) {}

  static async start(options: TestServiceOptions): Promise<TestService> {
    const store = await createTestDatabase();
    const settings = {
      ...SHORT_WAITS,
      DATABASE_URL: store.url,
      ...options.servers?.(store.url),
      ...(await backEndSettings(options.backEnd)),
      ...options.settings,
    };
    const database = await openTestDatabase(store.url, 4);
    const rates = [...'123456789'].map((prefix) => ({ prefix, price: UNIT_PRICE }));
    await importTariff(database, { name: 'flat', currency: 'EUR', rates });
    const account = await openFundedAccount(database, 'Client');
    const simulator = await startSimulator({ receiptDelayMs: 5, ...options.simulator });
    const { log = SILENT } = options;
    const gateway = await startGateway(loadConfig(settings), log);
    const service = new TestService(store, settings, database, simulator, gateway, account, log);
    if (options.carrier !== 'none') await service.addCarrier(options.carrier);
    for (let worker = 0; worker < (options.workers ?? 1); worker += 1) await service.startWorker();
    return service;
  }

  /** Of the account that the service sends and lists for. */
  get accountId(): string {
    return this.account.accountId;
  }

  /** From now on the service sends and lists for another account, which has 1,000 EUR. */
  async openAccount(): Promise<void> {
    this.account = await openFundedAccount(this.database, `Client after ${this.accountId}`);
  }

  get simulator(): RunningSimulator {
    return this.carrierSide;
  }

  get runningWorkers(): readonly RunningWorker[] {
    return this.workers;
  }

  /** Starts the simulator anew where the closed one was. */
  async restartSimulator(): Promise<void> {
    const { port, httpPort } = this.carrierSide;
    this.carrierSide = await startSimulator({ receiptDelayMs: 5, port, httpPort });
  }

  /** Starts another simulator, without records, and closes the one before. */
  async replaceSimulator(options: SimulatorOptions = {}): Promise<void> {
    await this.carrierSide.close();
    this.carrierSide = await startSimulator({ receiptDelayMs: 5, ...options });
  }

  addCarrier(settings: Partial<CarrierSettings> = {}): Promise<StoredCarrier> {
    return addCarrier(this.database, {
      name: 'simulator',
      host: this.simulator.host,
      port: this.simulator.port,
      systemId: 'spec',
      password: 'secret',
      tls: false,
      windowSize: 20,
      submitsPerSecond: undefined,
      messageIdFormat: 'as-is',
      defaultAlphabet: 'gsm0338',
      inDoubtPolicy: 'resend',
      ...settings,
    });
  }

  /** The simulator's HTTP face as a carrier, with callbacks to the gateway. The simulator needs an `httpPort`. */
  addHttpCarrier(settings: Partial<CarrierSettings> = {}): Promise<StoredCarrier> {
    return this.addCarrier({
      protocol: 'http',
      port: this.simulator.httpPort ?? 0,
      systemId: 'AC0123456789abcdef0123456789abcdef',
      password: 'token',
      ...settings,
      options: { callbackUrl: this.gatewayUrl, ...settings.options },
    });
  }

  get gatewayUrl(): string {
    return `http://127.0.0.1:${this.gateway.port}`;
  }

  /** Of the operator's listener; 0 without an OPERATOR_PASSWORD. */
  get operatorPort(): number {
    return this.gateway.operatorPort ?? 0;
  }

  /** One more worker in this process, with settings of its own over those of the service. */
  async startWorker(settings: Readonly<Record<string, string>> = {}): Promise<RunningWorker> {
    const worker = await startWorker(loadConfig({ ...this.settings, ...settings }), this.log);
    this.workers.push(worker);
    return worker;
  }

  /** Ends one worker in order. */
  async stopWorker(worker: RunningWorker): Promise<void> {
    this.workers.splice(this.workers.indexOf(worker), 1);
    await worker.close();
  }

  /** Sends one message, which has to be accepted; returns its id. */
  async send(recipient: string, message: string): Promise<string> {
    const body = await this.post<{ messageId: string }>('/v1/message/send', { recipient, message });
    return body.messageId;
  }

  /** Sends a batch, which has to be accepted; returns the ids in its order. */
  async sendBatch(
    messages: readonly { readonly recipient: string; readonly message: string }[],
    gatewayUrl = this.gatewayUrl,
  ): Promise<string[]> {
    const path = '/v1/message/send-batch';
    const body = await this.post<{ orderSummary: { messageId: string }[] }>(path, { messages }, gatewayUrl);
    return body.orderSummary.map(({ messageId }) => messageId);
  }

  /** A batch of so many messages, each to a number of its own; it waits in the database for its account's turns. */
  sendMany(count: number, gatewayUrl = this.gatewayUrl): Promise<string[]> {
    const entryOf = (index: number) => ({ recipient: numberOf(index), message: `Message ${index}` });
    const entries = Array.from({ length: count }, (_, index) => entryOf(index));
    return this.sendBatch(entries, gatewayUrl);
  }

  /** Every message of the account, by the API, by its id. */
  async messages(): Promise<Map<string, ListedMessage>> {
    const listed = new Map<string, ListedMessage>();
    for (let page = 1; ; page += 1) {
      const { data } = await this.request<{
        data: { message_uuid: string; external_status: string; amount: number }[];
      }>(`/v1/account/messages?page=${page}&limit=100`);
      for (const { message_uuid: id, external_status: status, amount } of data) listed.set(id, { id, status, amount });
      if (data.length < 100) return listed;
    }
  }

  /** Counts messages by their status. */
  async statuses(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { status } of (await this.messages()).values()) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  /** Waits until all messages have these statuses. */
  untilStatuses(wanted: Readonly<Record<string, number>>, timeoutMs = 60_000): Promise<void> {
    return untilStatuses(this, wanted, timeoutMs);
  }

  /** Waits until these messages, by their ids, have the statuses that stand beside them. */
  untilEnded(wanted: ReadonlyMap<string, string>, timeoutMs = 60_000): Promise<void> {
    return untilEnded(this, wanted, timeoutMs);
  }

  /** How often the carrier took a message to each number: what reached the handsets. */
  get takenByNumber(): Map<string, number> {
    const taken = new Map<string, number>();
    for (const submit of this.simulator.records.submits) {
      if (!submit.isTaken) continue;
      taken.set(submit.destination.value, (taken.get(submit.destination.value) ?? 0) + 1);
    }
    return taken;
  }

  /** All that reached the handsets. */
  get takenCopies(): number {
    return [...this.takenByNumber.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Reads from the API. */
  get<Body>(path: string): Promise<Body> {
    return this.request<Body>(path);
  }

  async figures(): Promise<{ reserved: Micros; captured: Micros }> {
    const [row] = await this.database.query<{ reserved: string; captured: string }>(
      'select reserved, captured from account_balance where account_id = $1',
      [this.accountId],
    );
    return { reserved: BigInt(row?.reserved ?? 0), captured: BigInt(row?.captured ?? 0) };
  }

  /** Ends everything; fails when the ledger is not clean. */
  async close(): Promise<void> {
    try {
      for (const worker of this.workers.splice(0)) await worker.close();
      await this.gateway.close();
      await this.simulator.close();
      await expectCleanLedger(this.database);
    } finally {
      await this.database.close();
      await this.store.drop();
    }
  }

  /** Writes by the API; the answer has to be a success. */
  post<Body>(
    path: string,
    body: unknown,
    gatewayUrl = this.gatewayUrl,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Body> {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    };
    return this.request<Body>(path, init, gatewayUrl);
  }

  private async request<Body>(path: string, init: RequestInit = {}, gatewayUrl = this.gatewayUrl): Promise<Body> {
    const answer = await fetch(`${gatewayUrl}${path}`, {
      ...init,
      headers: { ...init.headers, 'x-authorization': this.account.apiKey },
    });
    const body = (await answer.json()) as Body;
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(body)}`);
    return body;
  }
}

/** An ordinary number, each index another one. */
export function numberOf(index: number): string {
  return `4670${String(1_000_000 + index)}`;
}
