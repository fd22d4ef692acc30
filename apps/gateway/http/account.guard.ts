import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { AuthenticatedRequest } from './authenticate.js';
import { accountOf } from './current-account.js';

/**
 * Lets a request pass only if it belongs to an account. A hook has looked up its key before its body was read
 * (`authenticate.ts`). This guard shows at the controller that the endpoint needs an account, and refuses a request
 * that passed no such hook.
 */
@Injectable()
export class AccountGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    accountOf(context.switchToHttp().getRequest<AuthenticatedRequest>());
    return true;
  }
}
