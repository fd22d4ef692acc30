import { announceChange } from '../database/changes.js';
import type { Database, Queryable } from '../database/database.js';
import { numberHashKeyIds, rotateNumberHashKey } from '../guards/number-hash.js';
import { oneTimeKeyIds, rotateOneTimeSecrets } from '../operators/one-time-secrets.js';
import { OperatorError } from '../operators/operator-error.js';
import { rotateTextKeys, textKeyIds } from '../texts/rotate-text-keys.js';
import { rotateWebhookSecrets, webhookKeyIds } from '../webhooks/endpoint-secrets.js';
import { keyIdsOf, openCarrier, sealOptions, sealPassword } from './carrier-secrets.js';
import type { StoredCarrier } from './carrier-settings.js';
import { type CarrierRow, carrierOf } from './carriers.js';
import { SecretUnreadable } from './secret-keys.js';

/** The state of the secrets in the database. */
export interface SecretsStatus {
  /** The keys of this process, the one that encrypts first. */
  readonly keyIds: readonly string[];
  /** Carriers with secrets, by the key that each is encrypted with; `null`: in clear. */
  readonly stored: readonly { readonly keyId: string | null; readonly carriers: readonly string[] }[];
  /** Carriers whose secrets this process cannot read, with the reason. */
  readonly unreadable: readonly { readonly carrier: string; readonly reason: string }[];
}

/** The result of a rotation. */
interface Rotation {
  readonly keyId: string;
  /** Carriers whose secrets were in clear before. */
  readonly encrypted: readonly string[];
  /** Carriers whose secrets were encrypted with another key before. */
  readonly reencrypted: readonly string[];
  /** Carriers whose secrets had the current key already. */
  readonly unchanged: readonly string[];
}

/** Reads with which key each secret is encrypted. */
export async function secretsStatus(database: Database): Promise<SecretsStatus> {
  const carriers = await standingCarriers(database);
  const stored = new Map<string | null, Set<string>>();
  for (const carrier of carriers) {
    for (const keyId of keyIdsOf(carrier)) {
      const names = stored.get(keyId ?? null) ?? new Set();
      stored.set(keyId ?? null, names.add(carrier.name));
    }
  }
  for (const keyId of await webhookKeyIds(database)) {
    stored.set(keyId, (stored.get(keyId) ?? new Set()).add('webhooks'));
  }
  for (const keyId of await oneTimeKeyIds(database)) {
    stored.set(keyId, (stored.get(keyId) ?? new Set()).add('operators'));
  }
  for (const keyId of await numberHashKeyIds(database)) {
    stored.set(keyId, (stored.get(keyId) ?? new Set()).add('suppression lists'));
  }
  for (const keyId of await textKeyIds(database)) {
    stored.set(keyId, (stored.get(keyId) ?? new Set()).add('texts'));
  }
  return {
    keyIds: database.secretKeys.ids,
    stored: [...stored].map(([keyId, names]) => ({ keyId, carriers: [...names].sort() })),
    unreadable: carriers.flatMap((carrier) => {
      const reason = unreadableReason(database, carrier);
      return reason === undefined ? [] : [{ carrier: carrier.name, reason }];
    }),
  };
}

/**
 * Encrypts every secret with the current key, in one transaction; secrets that have that key already stay as they are.
 *
 * @param which `clear`: only secrets that are stored in clear
 * @throws OperatorError when there is no key, or a secret cannot be read; then nothing has changed
 */
export function rotateSecrets(database: Database, which: 'all' | 'clear'): Promise<Rotation> {
  const keys = database.secretKeys;
  const keyId = keys.currentId;
  if (keyId === undefined) {
    throw new OperatorError(
      'there is no key: make one with `smsctl secrets key --out FILE` and set SECRETS_KEY_FILE=FILE',
    );
  }
  return database.transaction(async (transaction) => {
    const rotation = { keyId, encrypted: [] as string[], reencrypted: [] as string[], unchanged: [] as string[] };
    for (const carrier of await standingCarriers(transaction, 'for update')) {
      const before = keyIdsOf(carrier);
      if (before.length === 0) continue;
      const isClear = before.includes(undefined);
      if (before.every((id) => id === keyId) || (which === 'clear' && !isClear)) {
        rotation.unchanged.push(carrier.name);
        continue;
      }
      const opened = opener(database, carrier);
      await transaction.query('update carrier set password = $2, options = $3::jsonb where carrier_id = $1', [
        carrier.carrierId,
        sealPassword(keys, carrier.carrierId, opened.password),
        JSON.stringify(sealOptions(keys, carrier.carrierId, opened.options)),
      ]);
      (isClear ? rotation.encrypted : rotation.reencrypted).push(carrier.name);
    }
    if (which === 'all' && (await rotateWebhookSecrets(transaction, keys))) rotation.reencrypted.push('webhooks');
    if (which === 'all' && (await rotateOneTimeSecrets(transaction, keys))) rotation.reencrypted.push('operators');
    if (which === 'all' && (await rotateTextKeys(transaction, keys))) rotation.reencrypted.push('texts');
    const rotated = await rotateNumberHashKey(transaction, keys, which);
    if (rotated !== undefined) rotation[rotated].push('suppression lists');
    if (rotation.encrypted.length + rotation.reencrypted.length > 0) await announceChange(transaction, 'carriers');
    return rotation;
  });
}

/** Why this process cannot read the secrets of a carrier; undefined when it can. */
function unreadableReason(database: Database, carrier: StoredCarrier): string | undefined {
  try {
    openCarrier(database.secretKeys, carrier);
    return undefined;
  } catch (error) {
    if (error instanceof SecretUnreadable) return error.message;
    throw error;
  }
}

function opener(database: Database, carrier: StoredCarrier): ReturnType<typeof openCarrier> {
  try {
    return openCarrier(database.secretKeys, carrier);
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    throw new OperatorError(`nothing was changed: of carrier ${carrier.name}, ${error.message}`);
  }
}

async function standingCarriers(database: Queryable, lock: 'for update' | '' = ''): Promise<StoredCarrier[]> {
  const rows = await database.query<CarrierRow>(
    `select * from carrier where removed_at is null order by carrier_id ${lock}`,
  );
  return rows.map(carrierOf);
}
