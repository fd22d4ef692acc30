/** What `GET /api/overview` answers. */
export interface Counts {
  readonly accepted: number;
  readonly sent: number;
  readonly delivered: number;
  readonly undelivered: number;
  readonly failed: number;
  readonly canceled: number;
  readonly unknown: number;
}

interface Hours {
  readonly lastHour: Counts;
  readonly weekBefore: Counts;
}

export interface Backlog {
  readonly messages: number;
  readonly oldestSeconds: number;
}

interface Step extends Counts {
  readonly startedAt: string;
}

export interface CarrierRow extends Hours {
  readonly carrierId: number;
  readonly name: string;
  readonly simulator: boolean;
  readonly state: string;
  readonly segmentsPerSecond: number;
  readonly waiting: Backlog;
  readonly awaitingReceipts: Backlog;
}

export interface AccountRow extends Hours {
  readonly accountId: string;
  readonly name: string;
  readonly status: string;
  readonly waiting: Backlog;
}

export interface Reason {
  readonly carrierId: number;
  readonly event: 'undelivered' | 'failed' | 'unknown';
  readonly code: string;
  readonly messages: number;
}

export interface Overview {
  readonly at: string;
  readonly traffic: Hours & {
    readonly steps: readonly Step[];
    readonly stepsOfWeekBefore: readonly Step[];
    readonly isWeekKnown: boolean;
  };
  readonly reasons: readonly Reason[];
  readonly carriers: readonly CarrierRow[];
  readonly accounts: readonly AccountRow[];
  readonly notRouted: Backlog;
  readonly work: {
    readonly oldestQueuedSeconds?: number;
    readonly queued: number;
    readonly overdue: number;
    readonly inDoubt: number;
    readonly unmatchedReceipts: number;
  };
  readonly workCountMax: number;
  readonly money: readonly {
    readonly currency: string;
    readonly deposited: string;
    readonly reserved: string;
    readonly captured: string;
  }[];
  readonly accountsByStatus: Readonly<Record<string, number>>;
  readonly hold?: { readonly heldBefore: string; readonly reason: string; readonly setAt: string };
  readonly processes: Readonly<Record<string, number>>;
}

/** What `GET /api/doctor` answers. */
export interface Doctor {
  readonly isWell: boolean;
  readonly checks: readonly Finding[];
}

export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  readonly runbook: string | null;
}

/** Messages that did not reach their recipient. */
export const notDelivered = ({ undelivered, failed, unknown }: Counts): number => undelivered + failed + unknown;
