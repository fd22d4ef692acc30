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

  private async ask(change?: object): Promise<SimulatorState> {
    const response = await fetch(this.url, {
      ...(change !== undefined && { method: 'POST', body: JSON.stringify(change) }),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`the simulator answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as SimulatorState;
  }
}
