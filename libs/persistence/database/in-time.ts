import { OperatorError } from '../operators/operator-error.js';
import { sqlState } from './database-errors.js';

const STATEMENT_TIMEOUT = '57014';

/**
 * The result of a search that the statement timeout of its caller limits.
 *
 * @param advice what an operator can do if it takes longer
 * @throws OperatorError when it took longer than the statement timeout
 */
export async function inTime<Result>(advice: string, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (sqlState(error) !== STATEMENT_TIMEOUT) throw error;
    throw new OperatorError(`that took too long: ${advice}`);
  }
}
