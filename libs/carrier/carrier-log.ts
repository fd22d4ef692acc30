/** The log of a carrier, for operators; a pino logger fits. It gets no texts, numbers or passwords. */
export interface CarrierLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
