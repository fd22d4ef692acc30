import type { FastifyRequest } from 'fastify';
import { SignInRefused } from '#persistence';
import { Problem } from '../../../http/problem.js';
import { tooManyWrong } from '../../identify-person.js';
import type { LoginWatch } from '../../login-watch.js';

/**
 * Runs what checks a password or a code. A wrong one counts against the address too.
 *
 * @throws Problem when the check refuses
 */
export async function provenBy<Result>(
  request: FastifyRequest,
  logins: LoginWatch,
  check: () => Promise<Result>,
): Promise<Result> {
  const waitMs = logins.waitMs(request);
  if (waitMs > 0) throw tooManyWrong(waitMs / 1_000);
  try {
    const result = await check();
    logins.succeeded(request);
    return result;
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error;
    switch (error.refusal) {
      case 'code_required':
        throw new Problem('code_required', 'Give the one-time code of your device, or a recovery code.');
      case 'locked':
        throw tooManyWrong(error.waitSeconds);
      case 'wrong':
        logins.failed(request);
        throw new Problem('sign_in_failed', 'The name, the password or the code is wrong.');
      default:
        throw new Error(`unreachable: ${error.refusal satisfies never}`);
    }
  }
}
