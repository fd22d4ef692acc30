/** Injection tokens of what the module gets from outside and is no class. */
export const CONFIG = Symbol('Config');
export const LOG = Symbol('Logger');
