import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_DIGITS = 8;
const SEALED = /^aes-256-gcm:([0-9a-f]{8}):([A-Za-z0-9_-]{38,})$/;

/** A secret that this process cannot read, with the reason for an operator. */
export class SecretUnreadable extends Error {}

/** The id of the key of a stored text; undefined: it is clear text. */
export function keyIdOf(stored: string): string | undefined {
  return SEALED.exec(stored)?.[1];
}

/**
 * The keys of the secrets in the database: AES-256-GCM with a random nonce of 96 bits for each secret. The id of the
 * key stands beside the ciphertext. The identity of the row and the column is additional data, so that a ciphertext
 * that was copied to another row does not decrypt. With random nonces a key is good for 2^32 secrets (NIST SP 800-38D,
 * 8.3).
 */
export class SecretKeys {
  private readonly byId: ReadonlyMap<string, Buffer>;

  /** @param keys 32 bytes each; the first encrypts, all decrypt */
  constructor(keys: readonly Buffer[] = []) {
    this.byId = new Map(keys.map((key) => [idOf(key), key]));
  }

  /** The ids, the current one first. */
  get ids(): readonly string[] {
    return [...this.byId.keys()];
  }

  /** The key that encrypts; undefined: there is none. */
  get currentId(): string | undefined {
    return this.ids[0];
  }

  /**
   * @param identity the row and column of the secret; reading needs the same
   * @throws SecretUnreadable without a key
   */
  seal(text: string, identity: string): string {
    const [current] = this.byId;
    if (current === undefined) throw new SecretUnreadable('there is no key to encrypt it with');
    const [id, key] = current;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(identity));
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${CIPHER}:${id}:${sealed.toString('base64url')}`;
  }

  /**
   * The text of a stored secret. A secret that was stored in clear, before there was a key, is returned as it is.
   *
   * @param what the error says to be unreadable, e.g. `its password`; left out: its message has no subject
   * @throws SecretUnreadable when this process lacks the key, or the ciphertext was changed or belongs to another row
   */
  open(stored: string, identity: string, what?: string): string {
    const unreadable = (why: string) => new SecretUnreadable(what === undefined ? why : `${what} ${why}`);
    const [, id = '', text = ''] = SEALED.exec(stored) ?? [];
    if (id === '') return stored;
    const key = this.byId.get(id);
    if (key === undefined) {
      throw unreadable(
        `is encrypted with key ${id}, which this process does not have: set SECRETS_KEY_FILE or SECRETS_KEY`,
      );
    }
    const sealed = Buffer.from(text, 'base64url');
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(identity)).setAuthTag(sealed.subarray(-TAG_BYTES));
    try {
      const opened = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
      return opened.toString('utf8');
    } catch {
      throw unreadable(`does not decrypt with key ${id}: it was changed, or copied from another carrier`);
    }
  }
}

/** Identifies a key without revealing anything about it. */
function idOf(key: Buffer): string {
  return createHash('sha256').update('heliograph secrets key').update(key).digest('hex').slice(0, KEY_ID_DIGITS);
}
