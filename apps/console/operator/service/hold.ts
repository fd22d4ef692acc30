export interface Held {
  readonly accountId: string;
  readonly accountName: string;
  readonly state: 'queued' | 'sending';
  readonly orders: number;
  readonly oldestAt: string;
  readonly newestAt: string;
  readonly inDoubt: number;
  readonly expired: number;
}

export interface ActiveHold {
  readonly isActive: true;
  readonly heldBefore: string;
  readonly reason: string;
  readonly setAt: string;
  readonly messages: number;
  readonly held: readonly Held[];
}

export type Hold = { readonly isActive: false } | ActiveHold;
