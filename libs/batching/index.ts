export { Coalescer, KeyedCoalescer, Overloaded } from './coalescer.js';
export { ConcurrencyLimit } from './concurrency-limit.js';
export type { FairCoalescerLimits } from './fair-coalescer.js';
export { FairCoalescer, SET_ASIDE } from './fair-coalescer.js';
