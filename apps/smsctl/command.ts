import type { Command } from 'commander';

/** Adds a command with what all of them have: --json, and examples in its help. */
export function addCommand(parent: Command, name: string, description: string, examples: readonly string[]): Command {
  return defineCommand(parent.command(name).description(description), examples);
}

/** Gives a command that has its name and description already what all of them have. */
export function defineCommand(command: Command, examples: readonly string[]): Command {
  return command
    .option('--json', 'print one JSON document')
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ smsctl ${example}`).join('\n')}`);
}

/** Ends a command whose options say nothing to do, or contradict each other: exit code 2. */
export function wrongUsage(command: Command, reason: string): never {
  return command.error(`error: ${reason}`, { exitCode: 2 });
}
