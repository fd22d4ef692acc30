const ANSWER_TIMEOUT_MS = 10_000;

/** Fields of the simulator's behaviour by name; it refuses what it does not know. */
export type CarrierBehaviour = Readonly<Record<string, number | boolean | string>>;

export interface CarrierChange {
  readonly behaviour?: CarrierBehaviour;
  /** While true, binds are refused. */
  readonly refusesBinds?: boolean;
  /** Drops every connection now. */
  readonly disconnects?: boolean;
}

export interface CarrierState {
  readonly behaviour: CarrierBehaviour;
  readonly counters: Readonly<Record<string, number>>;
  readonly pendingReceipts: number;
}

/** The control port of the simulator (docs/simulator.md). */
export class CarrierControl {
  constructor(private readonly port: number) {}

  state(): Promise<CarrierState> {
    return this.exchange({ method: 'GET' });
  }

  /** @throws Error with what the simulator says when it does not know the change */
  change(change: CarrierChange): Promise<CarrierState> {
    return this.exchange({ method: 'POST', body: JSON.stringify(change) });
  }

  private async exchange(request: RequestInit): Promise<CarrierState> {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const response = await fetch(`http://127.0.0.1:${this.port}/`, { ...request, signal });
    const body = (await response.json()) as CarrierState & { error?: string };
    if (!response.ok) throw new Error(`the carrier did not take that: ${body.error ?? response.status}`);
    return body;
  }
}
