export type { Logger } from './logger.js';
export { createLogger, nestLogger } from './logger.js';
export { runProcess } from './run-process.js';
