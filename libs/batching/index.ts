export type { CoalescerLimits } from './coalescer.js';
export { Coalescer, SET_ASIDE } from './coalescer.js';
export { ConcurrencyLimit } from './concurrency-limit.js';
export { Overloaded } from './overloaded.js';
