import type { Micros } from '#billing';
import { byteArray, plainArray } from '../database/plain-array.js';

/** What the commit checks of a request besides its price. */
export interface GuardedRequest {
  /** As `KeyHolder.guardVersion`; the request is refused if it is no longer the version of the account. */
  readonly version: number;
  readonly spendDayMax?: Micros | undefined;
  readonly spendMonthMax?: Micros | undefined;
  /** Of the numbers of its messages, in their order, if the account has a suppression list. */
  readonly numberHashes?: readonly string[] | undefined;
  /** What the database counts in this hour. */
  readonly counted?: readonly CountedKey[] | undefined;
}

/** A number or a range of numbers, so many messages to it, and the most of them that the database may count. */
export interface CountedKey {
  readonly hash: string;
  readonly messages: number;
  readonly max: number;
}

const NO_GUARDS = Array.from({ length: 7 }, () => '{}');

/** The last seven parameters of `accept_messages()`. */
export function guardColumns(
  requests: readonly { readonly messages: readonly unknown[]; readonly guards?: GuardedRequest | undefined }[],
): readonly string[] {
  if (requests.every(({ guards }) => guards === undefined)) return NO_GUARDS;
  const hasHashes = requests.some(({ guards }) => guards?.numberHashes !== undefined);
  const counted = requests.flatMap(({ guards }, index) =>
    (guards?.counted ?? []).map((key) => ({ ...key, request: index + 1 })),
  );
  return [
    plainArray(requests.map(({ guards }) => guards?.spendDayMax ?? 'NULL')),
    plainArray(requests.map(({ guards }) => guards?.spendMonthMax ?? 'NULL')),
    hasHashes
      ? byteArray(
          requests.flatMap(
            ({ guards, messages }): readonly (string | undefined)[] =>
              guards?.numberHashes ?? messages.map(() => undefined),
          ),
        )
      : '{}',
    plainArray(counted.map(({ request }) => request)),
    byteArray(counted.map(({ hash }) => hash)),
    plainArray(counted.map(({ messages }) => messages)),
    plainArray(counted.map(({ max }) => max)),
  ];
}
