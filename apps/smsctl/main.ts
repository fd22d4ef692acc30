import { CommanderError } from 'commander';
import { oneLine } from '#config/light';
import { withEnvironmentFile } from './environment-file.js';
import { namedTopics, smsctlProgram } from './program.js';
import { Session } from './session.js';
import { splitPlace } from './split-place.js';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** Runs one command and returns its exit code: 0, 1 if it failed or found something wrong, 2 for wrong usage. */
export async function runSmsctl(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that closes early (`smsctl tariff show NAME | head`) is no error; a full disk is.
    if (error.code === 'EPIPE') return;
    process.stderr.write(`smsctl: ${oneLine(error)}\n`);
    process.exit(EXIT_FAILED);
  });
  const warn = (line: string) => process.stderr.write(`smsctl: ${line}\n`);
  const { place, rest: words } = splitPlace(args);
  const rest = withWholeHelp(words);
  const session = new Session(() => withEnvironmentFile(environment, warn), rest, place);
  try {
    await (await smsctlProgram(session, namedTopics(rest))).parseAsync([...rest], { from: 'user' });
    return session.hasFailed ? EXIT_FAILED : 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    process.stderr.write(`smsctl: ${oneLine(error)}\n`);
    return EXIT_FAILED;
  } finally {
    await session.close();
  }
}

/** `help TOPIC COMMAND` as `TOPIC COMMAND --help`: commander's own command `help` takes one word. */
function withWholeHelp(words: readonly string[]): readonly string[] {
  const [first, ...named] = words;
  return first === 'help' && named.length > 1 ? [...named, '--help'] : words;
}
