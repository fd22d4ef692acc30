import {
  addCarrier,
  type CarrierChange,
  carrierState,
  changeCarrier,
  type Database,
  findCarrier,
  listCarriers,
  listRoutes,
  liveProcesses,
  openCarrier,
  prefixWord,
  removeCarrier,
  type StoredCarrier,
  setCarrierPaused,
  workerBinds,
} from '#persistence';
import {
  type CarrierAnswer,
  type CarrierChanged,
  type CarrierDetails,
  carrierAnswer,
  carrierAnswerOf,
} from './carrier-answers.js';
import { CARRIER_DEFAULTS, type CarrierWishes, readWishes } from './carrier-settings.js';
import { checkCarrier } from './check-carrier.js';
import { rereadUnmatchedReceipts } from './reread-receipts.js';
import { readRouting, takesFromNowOn, withNotes } from './routing-notes.js';

interface Named {
  readonly name: string;
}

export async function carrierList(database: Database): Promise<readonly CarrierAnswer[]> {
  const workers = await liveProcesses(database, 'worker');
  const carriers = await listCarriers(database);
  return carriers.map((carrier) => carrierAnswerOf(carrier, carrierState(carrier, workers)));
}

export async function carrierShow(database: Database, { name }: Named): Promise<CarrierDetails> {
  const carrier = await findCarrier(database, name);
  const workers = await liveProcesses(database, 'worker');
  const routes = (await listRoutes(database)).filter(({ carrierId }) => carrierId === carrier.carrierId);
  return {
    ...carrierAnswerOf(carrier, carrierState(carrier, workers)),
    workerBinds: workerBinds(name, workers),
    routes: routes.map(({ prefix }) => prefixWord(prefix)),
  };
}

export async function carrierAdd(
  database: Database,
  {
    name,
    paused = false,
    ...wishes
  }: Named & CarrierWishes & { readonly url: string; readonly paused?: boolean | undefined },
): Promise<CarrierChanged> {
  const said = await readWishes(wishes, undefined);
  const { host = '', port = 0, systemId = '', password = '', tls = false } = said;
  const settings = { ...CARRIER_DEFAULTS, ...said, name, host, port, systemId, password, tls };
  await checkCarrier(settings);
  const added = await addCarrier(database, { ...settings, paused });
  const { carrierAdvice } = await import('#carrier');
  const notes = [...carrierAdvice(added), takesFromNowOn(added, await readRouting(database))];
  return { ...(await carrierAnswer(database, added)), notes };
}

export async function carrierSet(
  database: Database,
  { name, ...wishes }: Named & CarrierWishes,
): Promise<CarrierChanged> {
  const before = await findCarrier(database, name);
  const change = await readWishes(wishes, before);
  await checkChange(database, before, change);
  const { changed, notes } = await withNotes(database, () => changeCarrier(database, name, change, before.options));
  const format = change.messageIdFormat;
  const reread = format === undefined ? undefined : await rereadUnmatchedReceipts(database, before, format);
  return {
    ...(await carrierAnswer(database, changed)),
    ...(reread !== undefined && { rereadReceipts: reread }),
    notes,
  };
}

export async function carrierPause(database: Database, { name }: Named): Promise<CarrierChanged> {
  const { changed, notes } = await withNotes(database, () => setCarrierPaused(database, name, true));
  return { ...(await carrierAnswer(database, changed)), notes };
}

export async function carrierResume(database: Database, { name }: Named): Promise<CarrierChanged> {
  const changed = await setCarrierPaused(database, name, false);
  return { ...(await carrierAnswer(database, changed)), notes: [takesFromNowOn(changed, await readRouting(database))] };
}

interface CarrierRemoved {
  readonly name: string;
  readonly removed: true;
  readonly notes: readonly string[];
}

export async function carrierRemove(
  database: Database,
  { name, withRoutes = false }: Named & { readonly withRoutes?: boolean | undefined },
): Promise<CarrierRemoved> {
  const { notes } = await withNotes(database, () => removeCarrier(database, name, withRoutes));
  return { name, removed: true, notes };
}

/**
 * Checks that a carrier can work with its new settings.
 *
 * @throws OperatorError naming the setting that cannot work, or the secret that cannot be read for the check
 */
async function checkChange(database: Database, before: StoredCarrier, change: CarrierChange): Promise<void> {
  // New values are in clear already and need no decryption.
  const { password: newPassword, options = before.options, ...rest } = change;
  const password = newPassword === undefined ? before.password : { stored: newPassword };
  await checkCarrier(openCarrier(database.secretKeys, { ...before, ...rest, password, options }));
}
