import type { Command } from 'commander';

/** Adds a command with what all of them have: --json, and examples in its help. */
export function addCommand(parent: Command, name: string, description: string, examples: readonly string[]): Command {
  return parent
    .command(name)
    .description(description)
    .option('--json', 'print one JSON document')
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ smsctl ${example}`).join('\n')}`);
}

/** Adds a command that only groups others. */
export function addGroup(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description);
}
