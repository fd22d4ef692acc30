export type { Logger } from './logger.js';
export { createLogger, nestLogger } from './logger.js';
