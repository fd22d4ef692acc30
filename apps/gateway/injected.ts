/** Injection tokens of values that the module gets from outside and that are no classes. */
export const CONFIG = Symbol('Config');
export const LOG = Symbol('Logger');
