/** What the load process is told to do. */
export interface LoadJob {
  readonly seed: number;
  readonly sendsPerSecond: number;
  /** Ports of the gateways; each is a base URL of the client. */
  readonly ports: readonly number[];
  readonly accounts: readonly { readonly accountId: string; readonly apiKey: string }[];
  /** Where the history goes, as JSON lines. */
  readonly historyFile: string;
}

export interface LoadCounts {
  readonly sends: number;
  readonly messages: number;
  readonly attempts: number;
  /** Sends that were accepted at last. */
  readonly accepted: number;
  readonly unresolved: number;
}

/** `finish`: no more new sends; ask again for what is open, for so long at most. */
export type LoadInstruction =
  | { readonly type: 'start'; readonly job: LoadJob }
  | { readonly type: 'finish'; readonly resolveMs: number };

/** `flowing` once, at the first accepted send. */
export type LoadNews =
  | { readonly type: 'flowing' }
  | { readonly type: 'finished'; readonly counts: LoadCounts }
  | { readonly type: 'failed'; readonly reason: string };
