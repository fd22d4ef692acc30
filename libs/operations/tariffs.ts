import { type Micros, parseTariffCsv, type Rate, TariffError } from '#billing';
import {
  type Database,
  findTariff,
  importTariff,
  listRates,
  listTariffs,
  OperatorError,
  previewTariff,
  setDefaultTariff,
  type TariffDifference,
  type TariffOverview,
  type WantedTariff,
} from '#persistence';

export interface TariffAnswer {
  readonly name: string;
  readonly currency: string;
  readonly isDefault: boolean;
  readonly rateCount: number;
  readonly createdAt: Date;
}

export interface RateAnswer {
  readonly prefix: string;
  readonly price: Micros;
  readonly country?: string | undefined;
}

export interface TariffDetails extends TariffAnswer {
  readonly rates: readonly RateAnswer[];
}

interface DifferenceCounts {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly unchanged: number;
}

export interface TariffImported extends TariffAnswer, DifferenceCounts {}

export interface TariffPreview extends DifferenceCounts {
  readonly name: string;
  readonly currency: string;
  readonly dryRun: true;
  /** By prefix. */
  readonly changes: readonly {
    readonly change: 'added' | 'removed' | 'changed';
    readonly prefix: string;
    readonly oldPrice: Micros | null;
    readonly price: Micros | null;
    readonly country: string | null;
  }[];
}

/** A tariff as a CSV with the header `prefix,price` or `prefix,price,country`. */
export interface TariffFile {
  readonly name: string;
  readonly currency: string;
  readonly csv: string;
}

export async function tariffList(database: Database): Promise<readonly TariffAnswer[]> {
  return (await listTariffs(database)).map(tariffAnswer);
}

export async function tariffShow(database: Database, { name }: { readonly name: string }): Promise<TariffDetails> {
  const tariff = await findTariff(database, name);
  const rates = await listRates(database, tariff.tariffId);
  return {
    ...tariffAnswer(tariff),
    rates: rates.map(({ prefix, price, country }) => ({ prefix, price, ...(country !== undefined && { country }) })),
  };
}

/**
 * Makes a tariff, or replaces all rates of one.
 *
 * @throws OperatorError naming the line that is wrong; nothing was changed
 */
export async function tariffImport(database: Database, file: TariffFile): Promise<TariffImported> {
  const { difference, ...tariff } = await importTariff(database, wantedOf(file));
  return { ...tariffAnswer(tariff), ...countsOf(difference) };
}

/** What the import of a file would change; nothing is changed. */
export async function tariffPreview(database: Database, file: TariffFile): Promise<TariffPreview> {
  const difference = await previewTariff(database, wantedOf(file));
  const { added, removed, changed } = difference;
  const changes: TariffPreview['changes'] = [
    ...removed.map((rate) => changeOf('removed', rate, rate.price, null)),
    ...changed.map((rate) => changeOf('changed', rate, rate.oldPrice, rate.price)),
    ...added.map((rate) => changeOf('added', rate, null, rate.price)),
  ].sort((a, b) => (a.prefix < b.prefix ? -1 : 1));
  return { name: file.name, currency: file.currency, dryRun: true, ...countsOf(difference), changes };
}

export async function tariffSetDefault(database: Database, { name }: { readonly name: string }): Promise<TariffAnswer> {
  return tariffAnswer(await setDefaultTariff(database, name));
}

function wantedOf({ name, currency, csv }: TariffFile): WantedTariff {
  try {
    return { name, currency, rates: parseTariffCsv(csv) };
  } catch (error) {
    if (error instanceof TariffError) throw new OperatorError(error.message);
    throw error;
  }
}

function changeOf(
  change: 'added' | 'removed' | 'changed',
  { prefix, country }: Rate,
  oldPrice: Micros | null,
  price: Micros | null,
): TariffPreview['changes'][number] {
  return { change, prefix, oldPrice, price, country: country ?? null };
}

function countsOf({ added, removed, changed, unchanged }: TariffDifference): DifferenceCounts {
  return { added: added.length, removed: removed.length, changed: changed.length, unchanged };
}

function tariffAnswer({ name, currency, isDefault, rateCount, createdAt }: TariffOverview): TariffAnswer {
  return { name, currency, isDefault, rateCount, createdAt };
}
