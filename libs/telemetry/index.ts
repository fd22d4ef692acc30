export { hasPassword } from './basic-password.js';
export type { Logger } from './logger.js';
export { createLogger, nestLogger } from './logger.js';
export { ProcessMetrics } from './process-metrics.js';
export { runProcess } from './run-process.js';
