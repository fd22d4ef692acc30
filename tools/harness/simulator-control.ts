import { Agent } from 'node:http';
import { exchange } from './http.js';

/** What the simulator has counted since it started. */
export interface SimulatorCounters {
  readonly submits: number;
  /** Submits that it took; the others it refused. */
  readonly taken: number;
  readonly receiptsSent: number;
  readonly receiptsAcknowledged: number;
  readonly receiptsDropped: number;
}

interface SimulatorState {
  readonly counters: SimulatorCounters;
  /** Receipts that are not acknowledged yet. */
  readonly pendingReceipts: number;
  readonly binds: readonly { readonly id: number; readonly systemId: string }[];
}

/** Fields of the simulator's behaviour by name; it refuses what it does not know. */
export type CarrierBehaviour = Readonly<Record<string, number | boolean | string>>;

interface CarrierChange {
  readonly behaviour?: CarrierBehaviour;
  /** While true, binds are refused. */
  readonly refusesBinds?: boolean;
  /** Drops every connection now. */
  readonly disconnects?: boolean;
  /** Messages that handsets send now. */
  readonly inbound?: readonly { readonly from: string; readonly to: string; readonly text: string }[];
}

const ANSWER_TIMEOUT_MS = 30_000;
/** One for each request: a kept one may be closed by the simulator while a request is on its way. */
const CONNECTIONS = new Agent();

/** The carrier simulator, as seen and changed over its control port (docs/simulator.md). */
export class SimulatorControl {
  constructor(private readonly port: number) {}

  state(): Promise<SimulatorState> {
    return this.ask();
  }

  async counters(): Promise<SimulatorCounters> {
    return (await this.ask()).counters;
  }

  /** @throws Error with what the simulator says when it does not know the change */
  change(change: CarrierChange): Promise<SimulatorState> {
    return this.ask(change);
  }

  private async ask(change?: CarrierChange): Promise<SimulatorState> {
    const post = change === undefined ? {} : { method: 'POST', body: JSON.stringify(change) };
    const asked = { port: this.port, path: '/', agent: CONNECTIONS, timeoutMs: ANSWER_TIMEOUT_MS, ...post };
    const { status, text, code } = await exchange(asked);
    if (status !== 200) throw new Error(`the simulator answered ${code ?? status}: ${text}`);
    return JSON.parse(text) as SimulatorState;
  }
}
