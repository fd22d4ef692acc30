/**
 * Where a carrier writes what an operator should know; a pino logger fits. Neither texts nor numbers nor passwords go
 * there.
 */
export interface CarrierLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
