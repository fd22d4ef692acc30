// V8 10 to 11, of Node 20. Later versions count otherwise, and Node does not start with an option that its V8 lacks.
const HAS_INTERRUPT_BUDGET = Number.parseInt(process.versions.v8, 10) < 12;

/**
 * Flags of Node for a process of the tests, which lives for seconds. V8's optimising compiler works for the minutes
 * that come after that; with nine times the usual budget it compiles only what is really hot.
 */
export const SHORT_LIVED_NODE_FLAGS: readonly string[] = HAS_INTERRUPT_BUDGET ? ['--interrupt-budget=600000'] : [];
