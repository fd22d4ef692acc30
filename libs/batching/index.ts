export type { CoalescerLimits } from './coalescer.js';
export { Coalescer, Overloaded } from './coalescer.js';
