import { chmodSync, chownSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { makeSecretsKey, parseSecretsKeys } from '#config/light';
import { OperatorError, SecretKeys } from '#persistence';
import { addCommand } from '../command.js';
import { locateSecretsKey } from '../locate-secrets-key.js';
import type { AnswerOf } from '../requests.js';
import type { Answer, Session } from '../session.js';
import { table } from '../text.js';

export function addSecretsCommands(secrets: Command, session: Session): void {
  addCommand(secrets, 'key', 'make a key; print it, or put it into a file', [
    'secrets key --out /etc/heliograph/secrets-key',
    'secrets key',
  ])
    .option('--out <file>', 'put it in front of the keys in this file; only its owner can read a new file')
    .action(async (options: { out?: string }, command: Command) => {
      await session.stayHere(command);
      session.print(command, makeKey(options.out));
    });

  addCommand(secrets, 'status', 'say which keys are here, and which the stored secrets need', [
    'secrets status',
  ]).action(async (_options, command: Command) => session.print(command, await status(session)));

  addCommand(secrets, 'rotate', 'encrypt all secrets with the current key, the first one', ['secrets rotate'])
    .option(
      '--force',
      'although running processes lack that key: their carriers go down until they are restarted with it',
    )
    .action((options: { force?: boolean }, command: Command) =>
      session.show(command, 'secrets.rotate', { force: options.force }, rotationText),
    );
}

/** Writes a new key before the keys of the file, so that everything that those encrypted can still be read. */
function makeKey(file: string | undefined): Answer {
  const key = makeSecretsKey();
  const [keyId] = new SecretKeys(parseSecretsKeys(key)).ids;
  if (file === undefined) return { json: { keyId, key }, text: key };
  const others = keysIn(file);
  if (others !== '') checkKeys(others, file);
  const text = `${[key, others].filter((line) => line !== '').join('\n')}\n`;
  // With one key more than processes take, none of them would start again.
  checkKeys(text, file);
  const written = `${file}.new`;
  try {
    // Writes another file first, to the disk: a truncated key file, also after a power cut, would mean lost keys.
    writeFileSync(written, text, { mode: 0o600, flush: true });
    keepReaders(file, written);
    renameSync(written, file);
  } catch (error) {
    rmSync(written, { force: true });
    throw new OperatorError(`${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
  const next =
    others === ''
      ? `set SECRETS_KEY_FILE=${file} for all processes and smsctl`
      : 'restart all processes, run `smsctl secrets rotate`, then take the older keys out of the file';
  return {
    json: { keyId, file },
    text: `Key ${keyId} is the first one in ${file} now: ${next}. Keep a copy of it apart from the database's backups.`,
  };
}

function keysIn(file: string): string {
  if (!existsSync(file)) return '';
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new OperatorError(`--out: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Processes run as another user than root, who makes keys; they must be able to read the new file as well. */
function keepReaders(file: string, written: string): void {
  const before = statSync(file, { throwIfNoEntry: false });
  if (before === undefined) return;
  chownSync(written, before.uid, before.gid);
  chmodSync(written, before.mode & 0o777);
}

function checkKeys(text: string, file: string): void {
  try {
    parseSecretsKeys(text);
  } catch (error) {
    throw new OperatorError(`${file} ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function status(session: Session): Promise<Answer> {
  const source = session.url ?? locateSecretsKey(session.environment).source;
  const { keyIds, stored, unreadable } = await session.call('secrets.status', {});
  const [current] = keyIds;
  const keys =
    keyIds.length === 0 ? 'No key is here.' : `Keys in ${source}: ${keyIds.join(', ')} (${current} encrypts).`;
  return {
    json: { source: source ?? null, keyIds, stored, unreadable },
    text: [
      keys,
      table(
        ['secrets of', 'encrypted with'],
        stored.map(({ keyId, carriers }) => [
          carriers.join(', '),
          keyId === null ? 'nothing: in clear' : `key ${keyId}`,
        ]),
        'No secret is stored.',
      ),
      ...unreadable.map(({ carrier, reason }) => `Carrier ${carrier}: ${reason}.`),
    ].join('\n\n'),
    isFailure: unreadable.length > 0,
  };
}

function rotationText({ keyId, encrypted, reencrypted, unchanged }: AnswerOf<'secrets.rotate'>): string {
  const lines = [
    ...(encrypted.length > 0 ? [`Encrypted with key ${keyId}, stored in clear before: ${encrypted.join(', ')}.`] : []),
    ...(reencrypted.length > 0 ? [`Encrypted anew with key ${keyId}: ${reencrypted.join(', ')}.`] : []),
    ...(unchanged.length > 0 ? [`With key ${keyId} already: ${unchanged.join(', ')}.`] : []),
  ];
  return lines.length === 0 ? 'No secret had to be encrypted anew: smsctl secrets status' : lines.join('\n');
}
