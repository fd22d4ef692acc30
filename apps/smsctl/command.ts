import type { Command } from 'commander';

/** Adds a command with --json and with examples in its help, which all commands have. */
export function addCommand(parent: Command, name: string, description: string, examples: readonly string[]): Command {
  return defineCommand(parent.command(name).description(description), examples);
}

/** Adds what all commands have to a command with a name and a description. */
export function defineCommand(command: Command, examples: readonly string[]): Command {
  return command
    .option('--json', 'print one JSON document')
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ smsctl ${example}`).join('\n')}`);
}

/** Ends a command whose options request nothing or contradict each other: exit code 2. */
export function wrongUsage(command: Command, reason: string): never {
  return command.error(`error: ${reason}`, { exitCode: 2 });
}
