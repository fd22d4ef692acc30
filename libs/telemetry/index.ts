export { hasPassword } from './basic-password.js';
export { errorLine } from './error-line.js';
export { LineLimit } from './line-limit.js';
export type { Logger } from './logger.js';
export { createLogger, nestLogger } from './logger.js';
export { lowerPriority } from './lower-priority.js';
export { type MetricsServer, serveMetrics } from './metrics-server.js';
export { ProcessMetrics } from './process-metrics.js';
export { runProcess } from './run-process.js';
