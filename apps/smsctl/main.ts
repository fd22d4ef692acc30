import { Command, CommanderError } from 'commander';
import type { ProtocolOptions } from './carrier-flags.js';
import { addAccountCommands } from './commands/account.js';
import { addCarrierCommands } from './commands/carrier.js';
import { addDoctorCommand } from './commands/doctor.js';
import { addFxCommands } from './commands/fx.js';
import { addHoldCommands } from './commands/hold.js';
import { addKeyCommands } from './commands/key.js';
import { addLedgerCommands } from './commands/ledger.js';
import { addMessageCommands } from './commands/message.js';
import { addMoneyCommands } from './commands/money.js';
import { addReceiptCommands } from './commands/receipts.js';
import { addRetentionCommands } from './commands/retention.js';
import { addRouteCommands } from './commands/route.js';
import { addTariffCommands } from './commands/tariff.js';
import { Session } from './session.js';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** Runs one command; answers its exit code: 0, 1 when it failed or found something wrong, 2 when it was misspelt. */
export async function runSmsctl(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  // A reader that has seen enough (`smsctl tariff show NAME | head`) is no mistake.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const session = new Session(environment);
  try {
    await smsctl(session, await protocolOptions(args)).parseAsync([...args], { from: 'user' });
    return session.hasFailed ? EXIT_FAILED : 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    process.stderr.write(`smsctl: ${oneLine(error)}\n`);
    return EXIT_FAILED;
  } finally {
    await session.close();
  }
}

/** The adapters come with their codecs, so they are loaded for the one command that asks them. */
async function protocolOptions(args: readonly string[]): Promise<ProtocolOptions> {
  return args.includes('carrier') ? (await import('#carrier')).CARRIER_OPTIONS : { smpp: [], http: [] };
}

function smsctl(session: Session, protocols: ProtocolOptions): Command {
  const program = new Command('smsctl')
    .description('Operate Heliograph: accounts, money, tariffs, carriers, routes, messages.')
    .addHelpText(
      'after',
      '\nIt works on the database of DATABASE_URL, else on that of the running `npm start` (DATA_DIR, here or where\n' +
        'Heliograph is installed). --json prints one JSON document; amounts in it are decimal strings, times are UTC.\n' +
        'Exit code: 0 done, 1 failed or something is wrong, 2 wrong usage.',
    )
    .configureHelp({ showGlobalOptions: false })
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(`${withoutPasswords(text.replace(/^error: /, 'smsctl: '))}\n`),
    });
  addAccountCommands(program, session);
  addKeyCommands(program, session);
  addMoneyCommands(program, session);
  addFxCommands(program, session);
  addTariffCommands(program, session);
  addCarrierCommands(program, session, protocols);
  addRouteCommands(program, session);
  addMessageCommands(program, session);
  addReceiptCommands(program, session);
  addLedgerCommands(program, session);
  addHoldCommands(program, session);
  addRetentionCommands(program, session);
  addDoctorCommand(program, session);
  return program;
}

/** Commander repeats what was typed, and that may be the URL of a carrier. */
function withoutPasswords(text: string): string {
  return text
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/(:\/\/[^:\s]*):\S*@/g, '$1:***@');
}

function oneLine(error: unknown): string {
  return (error instanceof Error ? error.message || error.name : String(error)).replaceAll(/\s+/g, ' ');
}
