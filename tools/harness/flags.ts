import { closeSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { oneLine } from '#config';
import { QUEUES } from './queue.js';

/** Flags that every task has that starts the system. */
export function addSystemFlags(command: Command): Command {
  return command
    .addOption(new Option('--queue <back end>', 'default: redis when a server is on the PATH').choices([...QUEUES]))
    .option('--dir <folder>', 'where databases and logs are kept, in a folder of their own', tmpdir())
    .option('--json <file>', 'writes everything that was measured as one JSON document', writableFile);
}

/** A file that cannot be written is told now, and not when everything has been measured. */
function writableFile(value: string): string {
  try {
    closeSync(openSync(value, 'a'));
  } catch (error) {
    throw new InvalidArgumentError(oneLine(error));
  }
  return value;
}

/** Reads a list of names, separated by commas. */
export function namesOf<Name extends string>(known: readonly Name[]): (value: string) => Name[] {
  return (value) =>
    value.split(',').map((given) => {
      const name = known.find((one) => one === given.trim());
      if (name === undefined)
        throw new InvalidArgumentError(`There is no ${given.trim()}. It must be of ${known.join(', ')}.`);
      return name;
    });
}
