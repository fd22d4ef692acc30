/**
 * Flags of Node for a process that a spec starts. It lives for seconds. V8's optimising compiler works for the minutes
 * that come after that; with nine times the usual budget it compiles only what is really hot.
 */
export const SHORT_LIVED_NODE_FLAGS = ['--interrupt-budget=600000'] as const;
