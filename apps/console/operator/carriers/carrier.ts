/** What `GET /api/carriers` answers of each. */
export interface Carrier {
  readonly name: string;
  readonly protocol: string;
  readonly state: string;
  readonly workersBound: number;
  readonly workers: number;
  readonly bindsUp: number;
  readonly bindsWanted: number;
  readonly segmentsPerSecond: number;
  readonly waitingJobs: number | null;
  readonly lastError: { readonly reason: string; readonly at: string } | null;
  readonly paused: boolean;
  readonly simulator: boolean;
  readonly address: string;
  readonly window: number;
  readonly tps: number | null;
  readonly binds: number | null;
  readonly messageId: string;
  readonly alphabet: string;
  readonly inDoubt: string;
  readonly options: Readonly<Record<string, string>>;
  readonly createdAt: string;
}

export interface Bind {
  readonly worker: string;
  readonly role: string;
  readonly state: string;
  readonly boundSince: string | null;
  readonly slotsInUse?: number;
}

export interface CarrierDetails extends Carrier {
  readonly workerBinds: readonly Bind[];
  readonly routes: readonly string[];
}

export interface CarrierChanged extends Carrier {
  readonly notes: readonly string[];
}

export const pathOf = (name: string): string => `/carriers/${encodeURIComponent(name)}`;
