import { type Command, InvalidArgumentError } from 'commander';
import { KEY_SCOPES, type KeyScope } from '#persistence';
import { duration, expiry, expiryOrNever } from '../arguments.js';
import { addCommand } from '../command.js';
import { idOfKey } from '../operator.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { facts, moment, table } from '../text.js';

const OVERLAP_SECONDS_MAX = 7 * 24 * 3_600;
const KEY_ID = 'its id: the 8 characters behind hg_ or hg_test_';

interface CreateOptions {
  readonly test?: boolean;
  readonly name?: string;
  readonly scopes?: readonly KeyScope[];
  readonly networks?: readonly string[];
  readonly expires?: Date;
}

interface RotateOptions {
  readonly overlap?: number;
  readonly expires?: Date | 'never';
}

export function addKeyCommands(key: Command, session: Session): void {
  addCreate(key, session);

  addCommand(key, 'list', 'list the keys of an account, with what they may do and when they were used last', [
    'key list 1001',
  ])
    .argument('<account>', 'its id')
    .action((accountId: string, _options, command: Command) =>
      session.show(command, 'key.list', { accountId }, keyTable),
    );

  addCommand(key, 'revoke', 'end a key for good', ['key revoke 3f9a1c0e'])
    .argument('<key>', KEY_ID, idOfKey)
    .action((keyId: string, _options, command: Command) =>
      session.show(
        command,
        'key.revoke',
        { keyId },
        ({ accountId, revokedAt }) => `Key ${keyId} of account ${accountId} is revoked since ${moment(revokedAt)}.`,
      ),
    );

  addRotate(key, session);
}

function addCreate(key: Command, session: Session): void {
  addCommand(key, 'create', 'make one more API key for an account', [
    'key create 1001',
    'key create 1001 --name shop --scopes send,read --networks 192.0.2.0/24,2001:db8::/32',
    'key create 1001 --name audit --scopes read --expires 90d',
    'key create 1001 --name developer --test',
  ])
    .argument('<account>', 'its id')
    .option('--name <name>', 'for people: what uses the key')
    .option('--scopes <list>', `what it may do: ${KEY_SCOPES.join(', ')} (default: all)`, scopeList)
    .option('--networks <list>', 'addresses and networks that it may be used from (default: all)', list)
    .option('--expires <when>', 'a time with its zone, or a duration like 90d (default: never)', expiry)
    .option('--test', 'a test key: its messages are paid from a test balance and never go to a carrier')
    .action((accountId: string, { expires, ...options }: CreateOptions, command: Command) => {
      const { name, scopes, networks, test } = options;
      const wanted = { accountId, name, scopes, networks, expiresAt: expires?.toISOString(), test };
      return session.show(
        command,
        'key.create',
        wanted,
        (created) => `${keyFacts(created)}\n\nAPI key (shown only now): ${created.apiKey}`,
      );
    });
}

function addRotate(key: Command, session: Session): void {
  addCommand(key, 'rotate', 'make a new key like an old one, which goes on working for a while', [
    'key rotate 3f9a1c0e',
    'key rotate 3f9a1c0e --overlap 7d',
    'key rotate 3f9a1c0e --overlap 0 --expires 90d',
  ])
    .argument('<key>', KEY_ID, idOfKey)
    .option('--overlap <time>', 'how long the old key still works, up to 7d (default: 24h)', overlap)
    .option(
      '--expires <when>',
      'of the new key: a time, a duration like 90d, or never (default: as the old)',
      expiryOrNever,
    )
    .action((keyId: string, { overlap: overlapSeconds, expires }: RotateOptions, command: Command) => {
      const expiresAt = expires === 'never' ? null : expires?.toISOString();
      return session.show(command, 'key.rotate', { keyId, overlapSeconds, expiresAt }, (created) => {
        const { status, expiresAt: until } = created.replacedKey;
        return (
          `${keyFacts(created)}\n\nAPI key (shown only now): ${created.apiKey}\n` +
          `The old key ${keyId} ${status === 'active' ? `works until ${moment(until)}` : 'has ended'}.`
        );
      });
    });
}

function list(text: string): string[] {
  return text.split(',').map((one) => one.trim());
}

function scopeList(text: string): KeyScope[] {
  return list(text).map((one) => {
    const scope = KEY_SCOPES.find((known) => known === one);
    if (scope === undefined) throw new InvalidArgumentError(`Scopes are ${KEY_SCOPES.join(', ')}.`);
    return scope;
  });
}

function overlap(text: string): number {
  const seconds = duration(text);
  if (seconds > OVERLAP_SECONDS_MAX) throw new InvalidArgumentError('It must be at most 7d.');
  return seconds;
}

function keyTable(keys: AnswerOf<'key.list'>): string {
  return table(
    ['key', 'name', 'kind', 'status', 'scopes', 'networks', 'created', 'expires', 'last used'],
    keys.map((one) => [
      one.keyId,
      one.name,
      one.test ? 'test' : 'live',
      one.status,
      one.scopes.join(','),
      one.networks.join(',') || 'anywhere',
      moment(one.createdAt),
      one.status === 'revoked' ? `revoked ${moment(one.revokedAt)}` : moment(one.expiresAt) || 'never',
      moment(one.lastUsedAt) || 'never',
    ]),
    'No keys.',
  );
}

function keyFacts(key: AnswerOf<'key.list'>[number]): string {
  return facts([
    ['Key', key.keyId],
    ['Account', key.test ? `${key.accountId}, for tests` : key.accountId],
    ['Name', key.name],
    ['Scopes', key.scopes.join(', ')],
    ['Networks', key.networks.join(', ') || 'anywhere'],
    ['Expires', moment(key.expiresAt) || 'never'],
  ]);
}
