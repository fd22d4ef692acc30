import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { KeyHolder, KeyManager } from '#persistence';
import type { AuthenticatedRequest } from './authenticate.js';
import { unauthorized } from './unauthorized.js';

/** The account of the request's key. */
export const CurrentAccount = createParamDecorator(
  (_data: unknown, context: ExecutionContext): KeyHolder =>
    accountOf(context.switchToHttp().getRequest<AuthenticatedRequest>()),
);

/** @throws Problem when the request has passed no hook that looked up its key */
export function accountOf({ account }: AuthenticatedRequest): KeyHolder {
  if (account === undefined) throw unauthorized();
  return account;
}

/** Who changes something of the account, as the audit log names it. */
export function managerOf(request: AuthenticatedRequest): KeyManager {
  const { accountId, keyId } = accountOf(request);
  const command = `${request.method} ${request.routeOptions.url}`;
  return { accountId, keyId, actor: { operator: `API key ${keyId}`, apiClient: request.ip, command } };
}
