import {
  type ApiKeyOverview,
  addApiKey,
  type Database,
  type KeyScope,
  listApiKeys,
  ownerOf,
  revokeApiKey,
  rotateApiKey,
} from '#persistence';
import { momentOf } from './wire.js';

const OVERLAP_SECONDS = 24 * 3_600;

/** An API key, without its text. */
interface KeyAnswer {
  readonly keyId: string;
  readonly accountId: string;
  readonly test: boolean;
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly networks: readonly string[];
  readonly status: ApiKeyOverview['status'];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

/** `apiKey` is shown only now. */
interface NewKeyAnswer extends KeyAnswer {
  readonly apiKey: string;
}

export async function keyList(
  database: Database,
  { accountId }: { readonly accountId: string },
): Promise<readonly KeyAnswer[]> {
  return (await listApiKeys(database, accountId)).map(keyAnswer);
}

export async function keyCreate(
  database: Database,
  wanted: {
    readonly accountId: string;
    readonly name?: string | undefined;
    readonly scopes?: readonly KeyScope[] | undefined;
    readonly networks?: readonly string[] | undefined;
    readonly expiresAt?: string | undefined;
    readonly test?: boolean | undefined;
  },
): Promise<NewKeyAnswer> {
  const { accountId, name, scopes, networks, expiresAt, test = false } = wanted;
  const { apiKey, created } = await addApiKey(database, accountId, {
    isTest: test,
    ...(name !== undefined && { name }),
    ...(scopes !== undefined && { scopes }),
    ...(networks !== undefined && { networks }),
    expiresAt: momentOf(expiresAt),
  });
  return { ...keyAnswer(created), apiKey };
}

/** Makes a key like another one, which goes on working for a while. */
export async function keyRotate(
  database: Database,
  wanted: {
    readonly keyId: string;
    readonly overlapSeconds?: number | undefined;
    /** Null: never; left out: as the old one. */
    readonly expiresAt?: string | null | undefined;
  },
): Promise<NewKeyAnswer & { readonly replacedKey: KeyAnswer }> {
  const { keyId, overlapSeconds = OVERLAP_SECONDS, expiresAt } = wanted;
  const until = expiresAt === null ? null : momentOf(expiresAt);
  const { apiKey, created, replaced } = await rotateApiKey(database, keyId, { overlapSeconds, expiresAt: until });
  return { ...keyAnswer(created), apiKey, replacedKey: keyAnswer(replaced) };
}

export async function keyRevoke(database: Database, { keyId }: { readonly keyId: string }): Promise<KeyAnswer> {
  return keyAnswer(await revokeApiKey(database, keyId));
}

function keyAnswer(key: ApiKeyOverview): KeyAnswer {
  return {
    keyId: key.keyId,
    accountId: ownerOf(key.accountId),
    test: key.isTest,
    name: key.name,
    scopes: key.scopes,
    networks: key.networks,
    status: key.status,
    createdAt: key.createdAt,
    expiresAt: key.expiresAt ?? null,
    lastUsedAt: key.lastUsedAt ?? null,
    revokedAt: key.revokedAt ?? null,
  };
}
