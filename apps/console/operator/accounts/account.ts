import type { GuardSettings } from '#billing';

export interface Account {
  readonly accountId: string;
  readonly name: string;
  readonly status: 'active' | 'suspended' | 'closed';
  readonly holdsQueued: boolean;
  readonly currency: string;
  readonly tariff: string;
  readonly creditLimit: string;
  readonly rateLimitPerSecond: number | null;
  readonly sender: string | null;
  readonly allowedSenders: readonly string[];
  readonly maxInFlight: number | null;
  readonly balanceAlert: string | null;
  readonly totalDeposits: string;
  readonly totalConsumed: string;
  readonly reserved: string;
  readonly captured: string;
  readonly creditRemaining: string;
  readonly isLow: boolean;
  readonly messages: number;
  readonly createdAt: string;
}

export interface Booking {
  readonly amount: string;
  readonly currency: string;
  readonly accountAmount: string;
  readonly accountCurrency: string;
  readonly creditRemaining: string;
  readonly repeated: boolean;
}

export interface Deposit {
  readonly number: number;
  readonly kind: string;
  readonly reference: string | null;
  readonly reason: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly accountAmount: string;
  readonly accountCurrency: string;
  readonly createdAt: string;
}

export interface LedgerEntry {
  readonly number: number;
  readonly kind: string;
  readonly debit: string;
  readonly credit: string;
  readonly amount: string;
  readonly balanceAfter: string;
  readonly messages: number | null;
  readonly reason: string | null;
  readonly createdAt: string;
}

export interface ApiKey {
  readonly keyId: string;
  readonly test: boolean;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly networks: readonly string[];
  readonly status: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

export const accountPath = (accountId: string): string => `/accounts/${accountId}`;

export interface Guards {
  readonly accountId: string;
  readonly own: GuardSettings;
  readonly forAll: GuardSettings;
}

/** What the guards would have refused in the last days. */
export interface GuardSimulation {
  readonly messages: number;
  readonly currency: string;
  readonly refused: readonly {
    readonly code: string;
    readonly messages: number;
    readonly amount: string;
    readonly delivered: number;
  }[];
}
