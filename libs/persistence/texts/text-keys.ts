import { createCipheriv, createDecipheriv, hash, randomBytes, randomFillSync } from 'node:crypto';
import { type SecretKeys, SecretUnreadable } from '../carriers/secret-keys.js';
import { OperatorError } from '../operators/operator-error.js';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Random bytes for one nonce cost 2.4 microseconds, a third of what an encryption costs; for many, 0.1 each. */
const NONCES_AT_A_TIME = 1_024;
/** A stored text is SOH, the id of its key (`20261123a1b2`), a colon, and base64url of nonce, ciphertext and tag. */
const MARK = '\u0001';
const ID_END = 13;
const SEALED_CHARACTERS_MIN = ID_END + 1 + 38;
const LOOK_EVERY_MS = 60_000;
/** The key of fingerprints, which is the same every day. */
const FINGERPRINTS = '000000000000';

/** What runs statements: the pool of a process, or one transaction. */
interface Statements {
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

/** The text of a message that this process cannot read, with the reason for an operator. */
export class TextUnreadable extends OperatorError {}

/** What a text belongs to; opening it needs the same. */
export type TextIdentity = `message:${string}` | `inbound:${string}` | `part:${string}`;

/** The id of the key of a stored text; undefined: the text is stored in clear. */
function textKeyId(stored: string): string | undefined {
  if (stored.charCodeAt(0) !== 1 || stored.length < SEALED_CHARACTERS_MIN || stored[ID_END] !== ':') return undefined;
  return stored.slice(1, ID_END);
}

/** A text as it may be stored in clear: no such text looks like an encrypted one. */
export function clearText(text: string): string {
  return text.startsWith(MARK) ? `\ufffd${text.slice(1)}` : text;
}

/**
 * The keys of the texts of messages: AES-256-GCM with a random key for each day (UTC), which all processes share. The
 * keys stand in `text_key`, encrypted with the keys for secrets: `smsctl secrets rotate` encrypts a few keys anew, and
 * no message. A day has fewer than the 2^32 texts that a key with random nonces is good for (NIST SP 800-38D, 8.3).
 * Processes that begin a day at the same moment may make a key each: all of them are kept.
 */
export class TextKeys {
  private readonly byId = new Map<string, Buffer>();
  private readonly reasons = new Map<string, string>();
  private current: { readonly id: string; readonly key: Buffer } | undefined;
  private fingerprintKey: string | undefined;
  private lookAtMs = 0;
  private source: Statements | undefined;
  private readonly nonces = Buffer.alloc(NONCE_BYTES * NONCES_AT_A_TIME);
  private nextNonce = NONCES_AT_A_TIME;

  constructor(private readonly secretKeys: SecretKeys) {}

  /**
   * Texts are to be encrypted.
   *
   * @param source not a transaction: a text must not be encrypted with a key that is rolled back
   */
  encryptWith(source: Statements): void {
    this.source = source;
  }

  /**
   * Resolves when `seal` encrypts with a key that is stored, if it is to encrypt. If not, when the fingerprints of a
   * time before, in which texts were encrypted, are known.
   *
   * @throws SecretUnreadable when this process is to encrypt and lacks the keys for secrets
   */
  async ready(database: Statements): Promise<void> {
    if (this.source !== undefined) await this.look(this.source);
    this.fingerprintKey ??= await this.keyOfFingerprints(database);
  }

  /** A text as it is stored: encrypted if the setting says so. */
  seal(text: string, identity: TextIdentity): string {
    if (this.current === undefined || text === '') return text;
    if (performance.now() >= this.lookAtMs) this.lookLater();
    const { id, key } = this.current;
    const nonce = this.freshNonce();
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(identity));
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${MARK}${id}:${sealed.toString('base64url')}`;
  }

  /**
   * The text of a stored one; its key has been learned (`learnTextKeys`).
   *
   * @throws TextUnreadable when this process lacks the key, or the text was changed or belongs to another message
   */
  open(stored: string, identity: TextIdentity): string {
    const id = textKeyId(stored);
    if (id === undefined) return stored;
    const key = this.byId.get(id);
    if (key === undefined) {
      const reason = this.reasons.get(id) ?? `its key, ${id}, is not in the database`;
      throw new TextUnreadable(`the text of ${wordsFor(identity)} cannot be read: ${reason}`);
    }
    const sealed = Buffer.from(stored.slice(ID_END + 1), 'base64url');
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(identity)).setAuthTag(sealed.subarray(-TAG_BYTES));
    try {
      const opened = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
      return opened.toString('utf8');
    } catch {
      const reason = `it does not decrypt with key ${id}: it was changed, or copied from another message`;
      throw new TextUnreadable(`the text of ${wordsFor(identity)} cannot be read: ${reason}`);
    }
  }

  /** The fingerprint of a text as it is stored: nobody can try texts on it without a key, if texts are encrypted. */
  fingerprint(digest: Buffer): Buffer {
    return this.fingerprints(digest)[0];
  }

  /** The same, and behind it the other form that it may be stored in, because the setting was another one then. */
  fingerprints(digest: Buffer): readonly [Buffer, ...Buffer[]] {
    if (this.fingerprintKey === undefined) return [digest];
    // The digest has always the same length, so what follows the key cannot be made longer.
    const keyed = hash('sha256', this.fingerprintKey + digest.toString('hex'), 'buffer');
    return this.source === undefined ? [digest, keyed] : [keyed, digest];
  }

  isKnown(id: string): boolean {
    return this.byId.has(id);
  }

  /** Takes a key of the table. */
  learn(id: string, secret: string): void {
    try {
      this.byId.set(id, Buffer.from(this.secretKeys.open(secret, secretIdentity(id)), 'base64'));
      this.reasons.delete(id);
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) throw error;
      this.reasons.set(id, `its key, ${id}, ${error.message}`);
    }
  }

  /** Takes the key of the day; the first process of the day makes it. */
  private async look(database: Statements): Promise<void> {
    const [row] = await database.query<{ day: string; id: string | null; secret: string | null; has_mine: boolean }>(
      `select t.day, k.key_id as id, k.secret, exists (select from text_key where key_id = $1) as has_mine
         from (select to_char(now() at time zone 'UTC', 'YYYYMMDD') as day) t
         left join lateral (select key_id, secret from text_key
                             where starts_with(key_id, t.day) order by created_at, key_id limit 1) k on true`,
      [this.current?.id ?? ''],
    );
    if (row === undefined) throw new Error('the database tells no date');
    if (this.current?.id.startsWith(row.day)) {
      // A restore or a failover may have taken the row away: what this process has encrypted needs it.
      if (!row.has_mine) await this.store(database, this.current);
    } else if (row.id !== null && row.secret !== null) {
      this.learn(row.id, row.secret);
      const key = this.byId.get(row.id);
      if (key === undefined) throw new SecretUnreadable(this.reasons.get(row.id));
      this.current = { id: row.id, key };
    } else {
      const made = { id: row.day + randomBytes(2).toString('hex'), key: randomBytes(KEY_BYTES) };
      await this.store(database, made);
      this.byId.set(made.id, made.key);
      this.current = made;
    }
    this.lookAtMs = performance.now() + LOOK_EVERY_MS;
  }

  /** The first process that encrypts makes it. Undefined: nobody has, or this process cannot read it nor has to. */
  private async keyOfFingerprints(database: Statements): Promise<string | undefined> {
    const made = { id: FINGERPRINTS, key: randomBytes(KEY_BYTES) };
    if (this.source !== undefined) await this.store(database, made, 'on conflict do nothing');
    const [row] = await database.query<{ secret: string }>('select secret from text_key where key_id = $1', [made.id]);
    try {
      return row && this.secretKeys.open(row.secret, secretIdentity(made.id));
    } catch (error) {
      if (this.source === undefined && error instanceof SecretUnreadable) return undefined;
      throw error;
    }
  }

  private async store(
    database: Statements,
    { id, key }: { readonly id: string; readonly key: Buffer },
    otherwise: 'on conflict do nothing' | '' = '',
  ): Promise<void> {
    const secret = this.secretKeys.seal(key.toString('base64'), secretIdentity(id));
    await database.query(`insert into text_key (key_id, secret) values ($1, $2) ${otherwise}`, [id, secret]);
  }

  private freshNonce(): Buffer {
    if (this.nextNonce === NONCES_AT_A_TIME) {
      randomFillSync(this.nonces);
      this.nextNonce = 0;
    }
    const start = this.nextNonce++ * NONCE_BYTES;
    return this.nonces.subarray(start, start + NONCE_BYTES);
  }

  /** Until there is a key of a new day, the old one goes on: no send waits for it. */
  private lookLater(): void {
    this.lookAtMs = performance.now() + LOOK_EVERY_MS;
    if (this.source !== undefined) this.look(this.source).catch(() => undefined);
  }
}

/** Learns the keys that these stored texts need; no statement if all are known. */
export async function learnTextKeys(
  database: Statements & { readonly texts: TextKeys },
  stored: Iterable<string>,
): Promise<void> {
  let ids: Set<string> | undefined;
  for (const text of stored) {
    const id = textKeyId(text);
    if (id === undefined || database.texts.isKnown(id)) continue;
    ids ??= new Set();
    ids.add(id);
  }
  if (ids === undefined) return;
  const rows = await database.query<{ id: string; secret: string }>(
    'select key_id as id, secret from text_key where key_id = any($1)',
    [[...ids]],
  );
  for (const { id, secret } of rows) database.texts.learn(id, secret);
}

/** The row and column of a key. */
export function secretIdentity(keyId: string): string {
  return `text_key:${keyId}:secret`;
}

function wordsFor(identity: TextIdentity): string {
  return identity.startsWith('part:')
    ? 'a part of a long message'
    : `message ${identity.slice(identity.indexOf(':') + 1)}`;
}
