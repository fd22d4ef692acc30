/** A fault that an operator mends. Its message is one line that says all; a log shows no stack with it. */
export class OperatorError extends Error {}

/** Names every wrong setting, in one line. */
export class ConfigError extends OperatorError {}
