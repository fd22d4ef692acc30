import { type Command, InvalidArgumentError } from 'commander';
import { counted } from '#operations';
import { OPERATOR_ROLES, type OperatorRole } from '#persistence';
import { expiry } from '../arguments.js';
import { addCommand } from '../command.js';
import { idOfKey } from '../operator.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { facts, moment, table } from '../text.js';

const ROLES = `what the person may do: ${OPERATOR_ROLES.join(', ')}`;
const NO_OPERATORS = 'Nobody yet: admin signs in with OPERATOR_PASSWORD.';

type Operator = AnswerOf<'operator.list'>['data'][number];
type Token = AnswerOf<'operator.token.list'>['data'][number];

export function addOperatorCommands(operator: Command, session: Session): void {
  addCommand(operator, 'list', 'list the people who operate the service', ['operator list']).action(
    async (_options, command: Command) => {
      const { data } = await session.call('operator.list', {});
      session.print(command, { json: data, text: operatorTable(data) });
    },
  );

  addCommand(operator, 'add', 'add a person, with a password for the first sign-in', [
    'operator add alice --role finance',
  ])
    .argument('<name>', 'small letters, digits, dots, hyphens and underscores')
    .requiredOption('--role <role>', ROLES, roleOf)
    .action((name: string, { role }: { role: OperatorRole }, command: Command) =>
      session.show(command, 'operator.add', { name, role }, passwordText),
    );

  addCommand(operator, 'role', 'give a person another role', ['operator role alice admin'])
    .argument('<name>', 'of the person')
    .argument('<role>', OPERATOR_ROLES.join(', '), roleOf)
    .action((name: string, role: OperatorRole, _options, command: Command) =>
      session.show(
        command,
        'operator.role',
        { name, role },
        (changed) => `${name} is ${changed.role} from the next request on.`,
      ),
    );

  addCommand(
    operator,
    'reset',
    'for a person without password or device: a new password, no second factor, no sessions, no lock',
    ['operator reset alice'],
  )
    .argument('<name>', 'of the person')
    .action((name: string, _options, command: Command) =>
      session.show(command, 'operator.reset', { name }, passwordText),
    );

  addCommand(operator, 'disable', 'sign a person out, and refuse every sign-in until `operator enable`', [
    'operator disable alice',
  ])
    .argument('<name>', 'of the person')
    .action(async (name: string, _options, command: Command) => {
      const changed = await session.call('operator.disable', { name });
      const { data } = await session.call('operator.token.list', {});
      const tokens = data.filter((one) => one.madeBy === name && one.status === 'active');
      session.print(command, {
        json: changed,
        text: [
          `${name} is disabled, and signed out everywhere.`,
          ...(tokens.length > 0 ? [`${counted(tokens.length, 'token')} that ${name} made still work.`] : []),
        ].join('\n'),
      });
    });

  addCommand(operator, 'enable', 'let a disabled person sign in again', ['operator enable alice'])
    .argument('<name>', 'of the person')
    .action((name: string, _options, command: Command) =>
      session.show(command, 'operator.enable', { name }, () => `${name} may sign in again.`),
    );

  addCommand(operator, 'remove', 'remove a person; the audit log keeps the name', ['operator remove alice'])
    .argument('<name>', 'of the person')
    .action(async (name: string, _options, command: Command) => {
      await session.call('operator.remove', { name });
      session.print(command, { json: { name, removed: true }, text: `${name} is removed.` });
    });

  const token = operator
    .command('token')
    .description("make, list and revoke tokens for programs that use the operators' API");
  addTokenCommands(token, session);
}

function addTokenCommands(token: Command, session: Session): void {
  addCommand(token, 'add', 'make a token for a program', ['operator token add deposits --role finance --expires 90d'])
    .argument('<name>', 'for people: what uses it')
    .requiredOption('--role <role>', `what the program may do: ${OPERATOR_ROLES.join(', ')}`, roleOf)
    .requiredOption('--expires <when>', 'a time with its zone, or a duration like 90d; at most 366d', expiry)
    .action((name: string, { role, expires }: { role: OperatorRole; expires: Date }, command: Command) =>
      session.show(
        command,
        'operator.token.add',
        { name, role, expiresAt: expires.toISOString() },
        (made) => `${tokenFacts(made)}\n\nToken (shown only now): ${made.token}`,
      ),
    );

  addCommand(token, 'list', 'list the tokens of programs', ['operator token list']).action(
    async (_options, command: Command) => {
      const { data } = await session.call('operator.token.list', {});
      session.print(command, { json: data, text: tokenTable(data) });
    },
  );

  addCommand(token, 'revoke', 'end a token for good', ['operator token revoke 3f9a1c0e'])
    .argument('<token>', 'its id: the 8 characters behind hgo_', idOfKey)
    .action((tokenId: string, _options, command: Command) =>
      session.show(
        command,
        'operator.token.revoke',
        { tokenId },
        (revoked) => `Token ${tokenId} (${revoked.name}) is revoked since ${moment(revoked.revokedAt)}.`,
      ),
    );
}

function roleOf(text: string): OperatorRole {
  const role = OPERATOR_ROLES.find((known) => known === text);
  if (role === undefined) throw new InvalidArgumentError(`Roles are ${OPERATOR_ROLES.join(', ')}.`);
  return role;
}

function operatorTable(operators: readonly Operator[]): string {
  return table(
    ['name', 'role', 'status', 'second factor', '>sessions', 'created', 'last sign-in'],
    operators.map((one) => [
      one.name,
      one.role,
      one.lockedUntil === null ? one.status : `locked until ${moment(one.lockedUntil)}`,
      one.hasSecondFactor ? `yes, ${counted(one.recoveryCodesLeft, 'recovery code')}` : 'no',
      one.sessions,
      moment(one.createdAt),
      moment(one.lastSignInAt) || 'never',
    ]),
    NO_OPERATORS,
  );
}

function passwordText({ name, role, password }: AnswerOf<'operator.add'>): string {
  return [
    facts([
      ['Name', name],
      ['Role', role],
    ]),
    '',
    `Password for the first sign-in (shown only now): ${password}`,
  ].join('\n');
}

function tokenTable(tokens: readonly Token[]): string {
  return table(
    ['token', 'name', 'role', 'status', 'made by', 'created', 'expires', 'last used'],
    tokens.map((one) => [
      one.tokenId,
      one.name,
      one.role,
      one.status,
      one.madeBy,
      moment(one.createdAt),
      one.status === 'revoked' ? `revoked ${moment(one.revokedAt)}` : moment(one.expiresAt),
      moment(one.lastUsedAt) || 'never',
    ]),
    'No tokens.',
  );
}

function tokenFacts(token: Token): string {
  return facts([
    ['Token', token.tokenId],
    ['Name', token.name],
    ['Role', token.role],
    ['Expires', moment(token.expiresAt)],
  ]);
}
