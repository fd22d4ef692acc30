import { type Micros, parseTariffCsv, type Rate, TariffError } from '#billing';
import {
  cancelRates,
  type Database,
  findTariff,
  importTariff,
  listOwnRates,
  listRates,
  listTariffs,
  OperatorError,
  previewTariff,
  setDefaultTariff,
  type TariffDifference,
  type TariffOverview,
  type WantedTariff,
} from '#persistence';
import { momentOf } from './wire.js';

interface TariffAnswer {
  readonly name: string;
  readonly currency: string;
  readonly isDefault: boolean;
  readonly rateCount: number;
  /** Whose rates it has for prefixes without one of its own. */
  readonly basedOn: string | null;
  /** When its own rates change next. */
  readonly changesAt: Date | null;
  readonly createdAt: Date;
}

export interface RateAnswer {
  readonly prefix: string;
  readonly price: Micros;
  readonly country?: string | undefined;
  /** False: it is a rate of the tariff that this one is based on. */
  readonly isOwn: boolean;
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

interface TariffImported extends TariffAnswer, DifferenceCounts {}

interface TariffPreview extends DifferenceCounts {
  readonly name: string;
  readonly currency: string;
  readonly dryRun: true;
  /** Of the rates that it was compared with. */
  readonly revision: string;
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
  /** When its rates begin; left out: now. */
  readonly validFrom?: string | undefined;
  /** The tariff whose rates hold for other prefixes; left out: it stays as it is. */
  readonly basedOn?: string | undefined;
  /** Of a preview: if others have changed its rates since, nothing is imported. */
  readonly revision?: string | undefined;
}

export async function tariffList(database: Database): Promise<readonly TariffAnswer[]> {
  return (await listTariffs(database)).map(tariffAnswer);
}

/** @param wanted `at`: the rates of this moment; left out: of now */
export async function tariffShow(
  database: Database,
  { name, at }: { readonly name: string; readonly at?: string | undefined },
): Promise<TariffDetails> {
  const tariff = await findTariff(database, name);
  const rates = await listRates(database, tariff.tariffId, momentOf(at));
  const own = await listOwnRates(database, tariff.tariffId, momentOf(at));
  const ownPrefixes = new Set(own.map(({ prefix }) => prefix));
  return {
    ...tariffAnswer(tariff),
    rates: rates.map(({ prefix, price, country }) => ({
      prefix,
      price,
      ...(country !== undefined && { country }),
      isOwn: ownPrefixes.has(prefix),
    })),
  };
}

/**
 * Makes a tariff, or replaces all rates of one, now or from a later time on.
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
  const { added, removed, changed, revision } = difference;
  const changes: TariffPreview['changes'] = [
    ...removed.map((rate) => changeOf('removed', rate, rate.price, null)),
    ...changed.map((rate) => changeOf('changed', rate, rate.oldPrice, rate.price)),
    ...added.map((rate) => changeOf('added', rate, null, rate.price)),
  ].sort((a, b) => (a.prefix < b.prefix ? -1 : 1));
  return { name: file.name, currency: file.currency, dryRun: true, revision, ...countsOf(difference), changes };
}

export async function tariffSetDefault(database: Database, { name }: { readonly name: string }): Promise<TariffAnswer> {
  return tariffAnswer(await setDefaultTariff(database, name));
}

/** Takes back the rates that were planned for a time. */
export async function tariffCancel(
  database: Database,
  { name, validFrom }: { readonly name: string; readonly validFrom: string },
): Promise<TariffAnswer> {
  return tariffAnswer(await cancelRates(database, name, new Date(validFrom)));
}

function wantedOf({ name, currency, csv, validFrom, basedOn, revision }: TariffFile): WantedTariff {
  try {
    return { name, currency, rates: parseTariffCsv(csv), validFrom: momentOf(validFrom), basedOn, revision };
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

function tariffAnswer(tariff: TariffOverview): TariffAnswer {
  const { name, currency, isDefault, rateCount, basedOn = null, changesAt = null, createdAt } = tariff;
  return { name, currency, isDefault, rateCount, basedOn, changesAt, createdAt };
}
