export interface Tariff {
  readonly name: string;
  readonly currency: string;
  readonly isDefault: boolean;
  readonly rateCount: number;
  readonly basedOn: string | null;
  readonly changesAt: string | null;
  readonly createdAt: string;
}

export interface Rate {
  readonly prefix: string;
  readonly price: string;
  readonly country?: string;
  /** False: it is a price of the list that this one is based on. */
  readonly isOwn?: boolean;
}

export interface TariffDetails extends Tariff {
  readonly rates: readonly Rate[];
}

/** What `POST /api/tariffs/:name/preview` answers. */
export interface Difference {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly changes: readonly Change[];
  readonly revision: string;
}

export interface Change {
  readonly change: 'added' | 'removed' | 'changed';
  readonly prefix: string;
  readonly oldPrice: string | null;
  readonly price: string | null;
  readonly country: string | null;
}

export const tariffPath = (name: string): string => `/tariffs/${encodeURIComponent(name)}`;

/** The list's own prices as the file that an import takes. */
export function csvOf(rates: readonly Rate[]): string {
  const own = rates.filter(({ isOwn = true }) => isOwn);
  const lines = own.map(({ prefix, price, country = '' }) => `${prefix},${price},${country}`);
  return ['prefix,price,country', ...lines, ''].join('\n');
}

/** The prices that are different at another time, by prefix. */
export function changesOf(now: readonly Rate[], then: readonly Rate[]): Omit<Change, 'change'>[] {
  const before = new Map(now.map((rate) => [rate.prefix, rate]));
  const after = new Map(then.map((rate) => [rate.prefix, rate]));
  return [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .map((prefix) => ({
      prefix,
      oldPrice: before.get(prefix)?.price ?? null,
      price: after.get(prefix)?.price ?? null,
      country: (after.get(prefix) ?? before.get(prefix))?.country ?? null,
    }))
    .filter(({ oldPrice, price }) => oldPrice !== price);
}
