export interface Route {
  readonly prefix: string;
  readonly carrier: string;
  readonly rank: number;
  readonly weight: number;
  readonly cost: string | null;
  readonly currency: string | null;
  readonly carrierState: string;
}

/** What a replacement of all routes would mean, or has meant. */
export interface Replacement {
  readonly notes: readonly string[];
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly pricedWithoutRoute: readonly string[];
  readonly revision: string;
}

/** A route while it is edited: everything is text. */
export interface Draft {
  readonly key: string;
  readonly prefix: string;
  readonly carrier: string;
  readonly rank: string;
  readonly weight: string;
  readonly cost: string;
  readonly currency: string;
}

export function draftOf({ prefix, carrier, rank, weight, cost, currency }: Route): Draft {
  return {
    key: crypto.randomUUID(),
    prefix: prefix === '' ? '*' : prefix,
    carrier,
    rank: String(rank),
    weight: String(weight),
    cost: cost ?? '',
    currency: currency ?? '',
  };
}

/** A row that somebody begins. */
export function newDraft(carrier: string): Draft {
  return { key: crypto.randomUUID(), prefix: '', carrier, rank: '1', weight: '1', cost: '', currency: '' };
}

export function wishOf({ prefix, carrier, rank, weight, cost, currency }: Draft): object {
  return {
    prefix: prefix.trim(),
    carrier,
    rank: Number(rank),
    weight: Number(weight),
    ...(cost.trim() !== '' && { cost: cost.trim(), currency: currency.trim().toUpperCase() }),
  };
}

export const shownPrefix = (prefix: string): string => (prefix === '' || prefix === '*' ? '*' : prefix);
