import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { KeyHolder } from '#persistence';
import type { AuthenticatedRequest } from './authenticate.js';

/** The account of the request's key. */
export const CurrentAccount = createParamDecorator((_data: unknown, context: ExecutionContext): KeyHolder => {
  const { account } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (account === undefined) throw new Error('a route without authentication asked for the account');
  return account;
});
