import type { Command } from 'commander';
import { type ApiKeyOverview, addApiKey, listApiKeys, revokeApiKey } from '#persistence';
import { addCommand } from '../command.js';
import type { Session } from '../session.js';
import { moment, table } from '../text.js';

export function addKeyCommands(key: Command, session: Session): void {
  addCommand(key, 'create', 'make one more API key for an account', ['key create 1001'])
    .argument('<account>', 'its id')
    .action((accountId: string, _options, command: Command) =>
      session.answer(command, async (database) => {
        const { keyId, apiKey } = await addApiKey(database, accountId);
        return { json: { accountId, keyId, apiKey }, text: `API key (shown only now): ${apiKey}` };
      }),
    );

  addCommand(key, 'list', 'list the keys of an account', ['key list 1001'])
    .argument('<account>', 'its id')
    .action((accountId: string, _options, command: Command) =>
      session.answer(command, async (database) => {
        const keys = await listApiKeys(database, accountId);
        return {
          json: keys.map(keyJson),
          text: table(
            ['key', 'created', 'revoked'],
            keys.map(({ keyId, createdAt, revokedAt }) => [keyId, moment(createdAt), moment(revokedAt)]),
            'No keys.',
          ),
        };
      }),
    );

  addCommand(key, 'revoke', 'end a key for good', ['key revoke 3f9a1c0e'])
    .argument('<key>', 'its id: the 8 characters between hg_ and the next underscore')
    .action((keyId: string, _options, command: Command) =>
      session.answer(command, async (database) => {
        const revoked = await revokeApiKey(database, keyId);
        return {
          json: keyJson(revoked),
          text: `Key ${keyId} of account ${revoked.accountId} is revoked since ${moment(revoked.revokedAt)}.`,
        };
      }),
    );
}

function keyJson(key: ApiKeyOverview): Record<string, unknown> {
  return { keyId: key.keyId, accountId: key.accountId, createdAt: key.createdAt, revokedAt: key.revokedAt ?? null };
}
