/** Injection tokens of values that the module gets from outside and that are no classes. */
export const CONFIG = Symbol('Config');
export const LOG = Symbol('Logger');
/** The name of this worker in leases and heartbeats. */
export const WORKER_ID = Symbol('WorkerId');
/** Bounds that tests shorten. */
export const BOUNDS = Symbol('WorkerBounds');
