export type { Account, Deposits, Ledger } from './account.js';
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  type FieldFault,
  HeliographError,
  InsufficientBalanceError,
  InvalidRequestError,
  NotFoundError,
  PermissionDeniedError,
  type ProblemCode,
  RateLimitError,
  ServiceError,
  TimeoutError,
  UnprocessableError,
} from './errors.js';
export { Heliograph } from './heliograph.js';
export type { Keys } from './keys.js';
export type { Messages } from './messages.js';
export type * from './options.js';
export type { Pages } from './pages.js';
export { VERSION } from './transport.js';
export type * from './types.gen.js';
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
} from './verify-webhook.js';
export type * from './webhook-events.js';
export type { Webhooks } from './webhooks.js';
