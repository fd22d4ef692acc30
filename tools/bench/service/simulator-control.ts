import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** What the simulator has counted since it started. */
export interface SimulatorCounters {
  readonly submits: number;
  /** Submits that it took; the others it refused. */
  readonly taken: number;
  readonly receiptsSent: number;
  readonly receiptsAcknowledged: number;
}

export interface SimulatorState {
  readonly counters: SimulatorCounters;
  /** Receipts that are not acknowledged yet. */
  readonly pendingReceipts: number;
  readonly binds: readonly { readonly id: number; readonly systemId: string }[];
}

const ANSWER_TIMEOUT_MS = 30_000;
/** Given up after a second without use: the simulator closes its side after five, maybe while a request is on its way. */
const CONNECTIONS = new Agent({ keepAlive: true, timeout: 1_000 });

/** The carrier simulator, as seen and changed over its control port. */
export class SimulatorControl {
  private readonly url: string;

  constructor(port: number) {
    this.url = `http://127.0.0.1:${port}/`;
  }

  state(): Promise<SimulatorState> {
    return this.ask();
  }

  async counters(): Promise<SimulatorCounters> {
    return (await this.ask()).counters;
  }

  /** @param perSecond submits that it takes; 0: no limit */
  async limit(perSecond: number): Promise<void> {
    await this.ask({ behaviour: { submitsPerSecond: perSecond } });
  }

  /** From now on nobody may bind, and nobody is bound. */
  async shut(): Promise<void> {
    await this.ask({ refusesBinds: true, disconnects: true });
  }

  async open(): Promise<void> {
    await this.ask({ refusesBinds: false });
  }

  /** By node:http: it is asked twenty times a second beside what is measured, and fetch spends several times as much. */
  private async ask(change?: object): Promise<SimulatorState> {
    const asked = request(this.url, {
      method: change === undefined ? 'GET' : 'POST',
      agent: CONNECTIONS,
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    asked.end(change === undefined ? undefined : JSON.stringify(change));
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    const body = await text(response);
    if (response.statusCode !== 200) throw new Error(`the simulator answered ${response.statusCode}: ${body}`);
    return JSON.parse(body) as SimulatorState;
  }
}
