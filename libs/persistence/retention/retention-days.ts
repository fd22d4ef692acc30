import { OperatorError } from '../operators/operator-error.js';

export const TEXT_DAYS_MIN = 1;
/** Of messages and of numbers. After this time receipts have come, sends have been repeated, and lists were read. */
export const ROW_DAYS_MIN = 7;
export const RETENTION_DAYS_MAX = 36_500;

/** @throws OperatorError when the days are out of range */
export function checkDays(what: string, days: number | undefined, daysMin: number): void {
  if (days === undefined || (Number.isInteger(days) && days >= daysMin && days <= RETENTION_DAYS_MAX)) return;
  throw new OperatorError(`${what} are kept for ${daysMin} to ${RETENTION_DAYS_MAX} days`);
}
