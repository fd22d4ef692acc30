import { type Command, InvalidArgumentError } from 'commander';
import { counted } from '#operations';
import {
  addOperator,
  addToken,
  disableOperator,
  enableOperator,
  listOperators,
  listTokens,
  OPERATOR_ROLES,
  type OperatorOverview,
  type OperatorRole,
  type OperatorToken,
  removeOperator,
  resetOperator,
  revokeToken,
  setOperatorRole,
} from '#persistence';
import { expiry } from '../arguments.js';
import { addCommand } from '../command.js';
import { operatorOf } from '../operator.js';
import type { Session } from '../session.js';
import { facts, moment, table } from '../text.js';

const ROLES = `what the person may do: ${OPERATOR_ROLES.join(', ')}`;
const NO_OPERATORS = 'Nobody yet: admin signs in with OPERATOR_PASSWORD.';

export function addOperatorCommands(operator: Command, session: Session): void {
  addCommand(operator, 'list', 'list the people who operate the service', ['operator list']).action(
    (_options, command: Command) =>
      session.answer(command, async (database) => {
        const operators = await listOperators(database);
        return { json: operators.map(operatorJson), text: operatorTable(operators) };
      }),
  );

  addCommand(operator, 'add', 'add a person, with a password for the first sign-in', [
    'operator add alice --role finance',
  ])
    .argument('<name>', 'small letters, digits, dots, hyphens and underscores')
    .requiredOption('--role <role>', ROLES, roleOf)
    .action((name: string, { role }: { role: OperatorRole }, command: Command) =>
      session.answer(command, async (database) => {
        const { operator: added, password } = await addOperator(database, name, role);
        return { json: { ...operatorJson(added), password }, text: passwordText(added, password) };
      }),
    );

  addCommand(operator, 'role', 'give a person another role', ['operator role alice admin'])
    .argument('<name>')
    .argument('<role>', OPERATOR_ROLES.join(', '), roleOf)
    .action((name: string, role: OperatorRole, _options, command: Command) =>
      session.answer(command, async (database) => {
        const changed = await setOperatorRole(database, name, role);
        return { json: operatorJson(changed), text: `${name} is ${changed.role} from the next request on.` };
      }),
    );

  addCommand(
    operator,
    'reset',
    'for a person without password or device: a new password, no second factor, no sessions, no lock',
    ['operator reset alice'],
  )
    .argument('<name>')
    .action((name: string, _options, command: Command) =>
      session.answer(command, async (database) => {
        const { operator: changed, password } = await resetOperator(database, name);
        return { json: { ...operatorJson(changed), password }, text: passwordText(changed, password) };
      }),
    );

  addCommand(operator, 'disable', 'sign a person out, who cannot sign in any more', ['operator disable alice'])
    .argument('<name>')
    .action((name: string, _options, command: Command) =>
      session.answer(command, async (database) => {
        const changed = await disableOperator(database, name);
        const tokens = (await listTokens(database)).filter((one) => one.madeBy === name && one.status === 'active');
        return {
          json: operatorJson(changed),
          text: [
            `${name} is disabled, and signed out everywhere.`,
            ...(tokens.length > 0 ? [`${counted(tokens.length, 'token')} that ${name} made still work.`] : []),
          ].join('\n'),
        };
      }),
    );

  addCommand(operator, 'enable', 'let a disabled person sign in again', ['operator enable alice'])
    .argument('<name>')
    .action((name: string, _options, command: Command) =>
      session.answer(command, async (database) => {
        const changed = await enableOperator(database, name);
        return { json: operatorJson(changed), text: `${name} may sign in again.` };
      }),
    );

  addCommand(operator, 'remove', 'remove a person; the audit log keeps the name', ['operator remove alice'])
    .argument('<name>')
    .action((name: string, _options, command: Command) =>
      session.answer(command, async (database) => {
        await removeOperator(database, name);
        return { json: { name, removed: true }, text: `${name} is removed.` };
      }),
    );

  const token = operator
    .command('token')
    .description("make, list and revoke tokens for programs that use the operators' API");
  addTokenCommands(token, session);
}

function addTokenCommands(token: Command, session: Session): void {
  addCommand(token, 'add', 'make a token for a program', ['operator token add deposits --role finance --expires 90d'])
    .argument('<name>', 'for people: what uses it')
    .requiredOption('--role <role>', 'what the program may do, as of a person', roleOf)
    .requiredOption('--expires <when>', 'a time with its zone, or a duration like 90d; at most 366d', expiry)
    .action((name: string, { role, expires }: { role: OperatorRole; expires: Date }, command: Command) =>
      session.answer(command, async (database) => {
        const madeBy = operatorOf(session.environment, []).operator;
        const { token: text, ...made } = await addToken(database, { name, role, expiresAt: expires }, madeBy);
        return {
          json: { ...tokenJson(made), token: text },
          text: `${tokenFacts(made)}\n\nToken (shown only now): ${text}`,
        };
      }),
    );

  addCommand(token, 'list', 'list the tokens of programs', ['operator token list']).action(
    (_options, command: Command) =>
      session.answer(command, async (database) => {
        const tokens = await listTokens(database);
        return {
          json: tokens.map(tokenJson),
          text: table(
            ['token', 'name', 'role', 'status', 'made by', 'created', 'expires', 'last used'],
            tokens.map((one) => [
              one.tokenId,
              one.name,
              one.role,
              one.status,
              one.madeBy,
              at(one.createdAt),
              one.status === 'revoked' ? `revoked ${at(one.revokedAt)}` : at(one.expiresAt),
              at(one.lastUsedAt) || 'never',
            ]),
            'No tokens.',
          ),
        };
      }),
  );

  addCommand(token, 'revoke', 'end a token for good', ['operator token revoke 3f9a1c0e'])
    .argument('<token>', 'its id: the 8 characters behind hgo_')
    .action((tokenId: string, _options, command: Command) =>
      session.answer(command, async (database) => {
        const revoked = await revokeToken(database, tokenId);
        return {
          json: tokenJson(revoked),
          text: `Token ${tokenId} (${revoked.name}) is revoked since ${at(revoked.revokedAt)}.`,
        };
      }),
    );
}

function roleOf(text: string): OperatorRole {
  const role = OPERATOR_ROLES.find((known) => known === text);
  if (role === undefined) throw new InvalidArgumentError(`Roles are ${OPERATOR_ROLES.join(', ')}.`);
  return role;
}

function operatorTable(operators: readonly OperatorOverview[]): string {
  return table(
    ['name', 'role', 'status', 'second factor', '>sessions', 'created', 'last sign-in'],
    operators.map((one) => [
      one.name,
      one.role,
      one.lockedUntil === undefined ? one.status : `locked until ${at(one.lockedUntil)}`,
      one.hasSecondFactor ? `yes, ${counted(one.recoveryCodesLeft, 'recovery code')}` : 'no',
      one.sessions,
      at(one.createdAt),
      at(one.lastSignInAt) || 'never',
    ]),
    NO_OPERATORS,
  );
}

function passwordText(operator: OperatorOverview, password: string): string {
  return [
    facts([
      ['Name', operator.name],
      ['Role', operator.role],
    ]),
    '',
    `Password for the first sign-in (shown only now): ${password}`,
  ].join('\n');
}

function operatorJson(operator: OperatorOverview): Record<string, unknown> {
  return { ...operator, lastSignInAt: operator.lastSignInAt ?? null, lockedUntil: operator.lockedUntil ?? null };
}

function tokenJson(token: OperatorToken): Record<string, unknown> {
  return { ...token, lastUsedAt: token.lastUsedAt ?? null, revokedAt: token.revokedAt ?? null };
}

function tokenFacts(token: OperatorToken): string {
  return facts([
    ['Token', token.tokenId],
    ['Name', token.name],
    ['Role', token.role],
    ['Expires', at(token.expiresAt)],
  ]);
}

function at(time: Date | undefined): string {
  return moment(time?.toISOString());
}
