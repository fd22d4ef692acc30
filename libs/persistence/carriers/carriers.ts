import { announceChange } from '../database/changes.js';
import type { Database, Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';
import { SECRET_OPTIONS, sealOptions, sealPassword } from './carrier-secrets.js';
import type { CarrierProtocol, CarrierSettings, NewCarrier, StoredCarrier } from './carrier-settings.js';
import { lockRoutes } from './routes.js';

export interface CarrierRow {
  carrier_id: number;
  protocol: CarrierProtocol;
  name: string;
  host: string;
  port: number;
  system_id: string;
  password: string;
  tls: boolean;
  window_size: number;
  submits_per_second: number | null;
  message_id_format: CarrierSettings['messageIdFormat'];
  default_alphabet: CarrierSettings['defaultAlphabet'];
  in_doubt_policy: CarrierSettings['inDoubtPolicy'];
  bind_count: number | null;
  options: Record<string, unknown>;
  paused: boolean;
  simulator: boolean;
  created_at: Date;
}

const NEW_CARRIER = { protocol: 'smpp', bindCount: undefined, options: {}, paused: false, simulator: false } as const;

/**
 * Adds a carrier, its secrets encrypted with the database's current key.
 *
 * @throws OperatorError when a value is not valid, the name is taken, or there is a secret and no key
 */
export async function addCarrier(database: Database, carrier: NewCarrier): Promise<StoredCarrier> {
  const settings: Required<NewCarrier> = { ...NEW_CARRIER, ...carrier };
  checkSettings(settings);
  return database.transaction(async (transaction) => {
    // The id comes first, because the encryption of the secrets uses it.
    const [next] = await transaction.query<{ id: number }>(
      `select nextval(pg_get_serial_sequence('carrier', 'carrier_id'))::integer as id`,
    );
    const carrierId = next?.id ?? 0;
    const keys = database.secretKeys;
    const [row] = await transaction.query<CarrierRow>(
      `insert into carrier (carrier_id, name, host, port, system_id, password, tls, window_size, submits_per_second, message_id_format,
                            default_alphabet, in_doubt_policy, protocol, bind_count, options, paused, simulator)
       overriding system value
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::jsonb, $16, $17)
       on conflict (name) where removed_at is null do nothing returning *`,
      [
        carrierId,
        settings.name,
        settings.host,
        settings.port,
        settings.systemId,
        sealPassword(keys, carrierId, settings.password),
        settings.tls,
        settings.windowSize,
        settings.submitsPerSecond ?? null,
        settings.messageIdFormat,
        settings.defaultAlphabet,
        settings.inDoubtPolicy,
        settings.protocol,
        settings.bindCount ?? null,
        JSON.stringify(sealOptions(keys, carrierId, settings.options)),
        settings.paused,
        settings.simulator,
      ],
    );
    if (row === undefined) throw new OperatorError(`there is a carrier ${settings.name} already`);
    await announceChange(transaction, 'carriers');
    return carrierOf(row);
  });
}

/** Every carrier that has not been removed, also paused ones, by name, with their stored secrets. */
export async function listCarriers(database: Queryable): Promise<StoredCarrier[]> {
  return (await database.query<CarrierRow>('select * from carrier where removed_at is null order by name')).map(
    carrierOf,
  );
}

/** @throws OperatorError when there is no such carrier */
export async function findCarrier(database: Queryable, name: string): Promise<StoredCarrier> {
  const [row] = await database.query<CarrierRow>('select * from carrier where name = $1 and removed_at is null', [
    name,
  ]);
  if (row === undefined) throw unknownCarrier(name);
  return carrierOf(row);
}

/** The changes that an operator can make; a missing value changes nothing. */
export type CarrierChange = Partial<Omit<CarrierSettings, 'name' | 'protocol'>> &
  Partial<Pick<StoredCarrier, 'paused' | 'simulator'>>;

/**
 * Changes a carrier. Workers follow at once, and reconnect only if the connection depends on the change. Secrets that
 * the change does not name stay as they are stored.
 *
 * @param seenOptions what the options of the change were made from, which others may have changed since: an option that
 *   is the same in both stays as it is now
 * @throws OperatorError when a value is not valid, there is no such carrier, or there is a new secret and no key
 */
export function changeCarrier(
  database: Database,
  name: string,
  change: CarrierChange,
  seenOptions?: CarrierSettings['options'],
): Promise<StoredCarrier> {
  return database.transaction(async (transaction) => {
    const [row] = await transaction.query<CarrierRow>(
      'select * from carrier where name = $1 and removed_at is null for update',
      [name],
    );
    if (row === undefined) throw unknownCarrier(name);
    const before = carrierOf(row);
    const { password: newPassword, options = before.options, ...rest } = change;
    const { carrierId } = before;
    const keys = database.secretKeys;
    const changed: StoredCarrier = {
      ...before,
      ...rest,
      ...(newPassword !== undefined && { password: { stored: sealPassword(keys, carrierId, newPassword) } }),
      options: sealOptions(keys, carrierId, withChanges(before.options, options, seenOptions), before.options),
    };
    checkSettings(changed);
    await transaction.query(
      `update carrier
          set host = $2, port = $3, system_id = $4, password = $5, tls = $6, window_size = $7, submits_per_second = $8,
              message_id_format = $9, default_alphabet = $10, in_doubt_policy = $11, bind_count = $12,
              options = $13::jsonb, paused = $14, simulator = $15
        where carrier_id = $1`,
      [
        changed.carrierId,
        changed.host,
        changed.port,
        changed.systemId,
        changed.password.stored,
        changed.tls,
        changed.windowSize,
        changed.submitsPerSecond ?? null,
        changed.messageIdFormat,
        changed.defaultAlphabet,
        changed.inDoubtPolicy,
        changed.bindCount ?? null,
        JSON.stringify(changed.options),
        changed.paused,
        changed.simulator,
      ],
    );
    await announceChange(transaction, 'carriers');
    return changed;
  });
}

function withChanges(
  standing: CarrierSettings['options'],
  wanted: CarrierSettings['options'],
  seen = standing,
): CarrierSettings['options'] {
  const kept = Object.entries(standing).filter(([name]) => !(name in seen) || wanted[name] === seen[name]);
  const changed = Object.entries(wanted).filter(([name, value]) => value !== seen[name]);
  return { ...Object.fromEntries(kept), ...Object.fromEntries(changed) };
}

/** A paused carrier takes no new messages; messages that it took before still get their receipts. */
export function setCarrierPaused(database: Database, name: string, paused: boolean): Promise<StoredCarrier> {
  return changeCarrier(database, name, { paused });
}

/** Moves a carrier to another address. */
export function moveCarrier(database: Database, name: string, host: string, port: number): Promise<StoredCarrier> {
  return changeCarrier(database, name, { host, port });
}

/**
 * Removes a carrier. Its record stays, without its secrets, for the messages that it carried, and its name may be used
 * again.
 *
 * @param withRoutes whether to remove the routes that name it too
 * @throws OperatorError when there is no such carrier, or routes name it and are to stay
 */
export function removeCarrier(database: Database, name: string, withRoutes = false): Promise<StoredCarrier> {
  return database.transaction(async (transaction) => {
    await lockRoutes(transaction);
    const [row] = await transaction.query<CarrierRow>(
      `update carrier set removed_at = now(), password = '', options = options - $2::text[]
        where name = $1 and removed_at is null returning *`,
      [name, SECRET_OPTIONS],
    );
    if (row === undefined) throw unknownCarrier(name);
    const routes = await transaction.query<{ prefix: string }>(
      'delete from route where carrier_id = $1 returning prefix',
      [row.carrier_id],
    );
    if (routes.length > 0 && !withRoutes) {
      const prefixes = routes.map(({ prefix }) => prefix || '*').sort();
      const words = prefixes.slice(0, NAMED_ROUTES_MAX).join(', ');
      const others = prefixes.length > NAMED_ROUTES_MAX ? ` and ${prefixes.length - NAMED_ROUTES_MAX} others` : '';
      throw new OperatorError(
        `${prefixes.length === 1 ? 'the route' : 'the routes'} ${words}${others} ${prefixes.length === 1 ? 'names' : 'name'} ` +
          `${name}: change ${prefixes.length === 1 ? 'it' : 'them'} first, or pass --with-routes to remove the carrier with its routes`,
      );
    }
    await announceChange(transaction, 'carriers');
    return carrierOf(row);
  });
}

const NAMED_ROUTES_MAX = 10;

/** @throws OperatorError when no carrier has the name, and none had it that was removed */
export async function expectCarrierOfLists(database: Queryable, name: string): Promise<void> {
  const [row] = await database.query('select from carrier where name = $1', [name]);
  if (row === undefined) throw unknownCarrier(name);
}

function unknownCarrier(name: string): OperatorError {
  return new OperatorError(`there is no carrier ${name}`, 'missing');
}

function checkSettings(settings: Omit<CarrierSettings, 'password'>): void {
  const { name, protocol, systemId, windowSize, submitsPerSecond, bindCount, port } = settings;
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name)) {
    throw new OperatorError('the name of a carrier has 1 to 40 letters a-z, digits and dashes');
  }
  // SMPP 3.4 section 4.1.1; account ids of HTTP APIs are longer.
  const userLengthMax = protocol === 'smpp' ? 15 : 100;
  if (systemId === '' || systemId.length > userLengthMax) {
    throw new OperatorError(`the user of a carrier has 1 to ${userLengthMax} characters`);
  }
  if (bindCount !== undefined && protocol !== 'smpp') {
    throw new OperatorError('only a carrier that is reached by SMPP has binds');
  }
  if (bindCount !== undefined && (!Number.isInteger(bindCount) || bindCount < 1 || bindCount > 100)) {
    throw new OperatorError('the binds of a carrier are 1 to 100');
  }
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new OperatorError('a port is 1 to 65535');
  if (!Number.isInteger(windowSize) || windowSize < 1 || windowSize > 1_000) {
    throw new OperatorError('the window of a carrier is 1 to 1000');
  }
  const isRate = submitsPerSecond === undefined || (Number.isInteger(submitsPerSecond) && submitsPerSecond >= 1);
  if (!isRate || (submitsPerSecond ?? 1) > 100_000)
    throw new OperatorError('the speed of a carrier is 1 to 100000 a second');
}

export function carrierOf(row: CarrierRow): StoredCarrier {
  return {
    carrierId: row.carrier_id,
    protocol: row.protocol,
    name: row.name,
    host: row.host,
    port: row.port,
    systemId: row.system_id,
    password: { stored: row.password },
    tls: row.tls,
    windowSize: row.window_size,
    submitsPerSecond: row.submits_per_second ?? undefined,
    messageIdFormat: row.message_id_format,
    defaultAlphabet: row.default_alphabet,
    inDoubtPolicy: row.in_doubt_policy,
    bindCount: row.bind_count ?? undefined,
    options: row.options,
    paused: row.paused,
    simulator: row.simulator,
    createdAt: row.created_at,
  };
}
