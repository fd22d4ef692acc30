import { Command, Help } from 'commander';
import { VERSION } from '#config/light';
import type { Session } from './session.js';

/** A word after `smsctl`: a command, or a group of commands. */
interface Topic {
  readonly name: string;
  readonly description: string;
  /** Loads the code of the topic and adds its arguments, options and subcommands. */
  readonly fill: (topic: Command, session: Session) => Promise<void>;
}

const TOPICS: readonly Topic[] = [
  {
    name: 'account',
    description: 'open, show, change, suspend and close accounts',
    fill: async (topic, session) => (await import('./commands/account.js')).addAccountCommands(topic, session),
  },
  {
    name: 'key',
    description: 'make, list, rotate and revoke API keys',
    fill: async (topic, session) => (await import('./commands/key.js')).addKeyCommands(topic, session),
  },
  {
    name: 'deposit',
    description: 'book money that came in, and list what was booked',
    fill: async (topic, session) => (await import('./commands/money.js')).defineDeposit(topic, session),
  },
  {
    name: 'adjust',
    description: 'correct a balance by an amount above or below 0',
    fill: async (topic, session) => (await import('./commands/money.js')).defineAdjust(topic, session),
  },
  {
    name: 'statement',
    description: 'the statement of an account for a month, to read, to print or for a spreadsheet',
    fill: async (topic, session) => (await import('./commands/statement.js')).defineStatement(topic, session),
  },
  {
    name: 'margin',
    description: 'what is left of the price of what carriers took in a month, by carrier and country',
    fill: async (topic, session) => (await import('./commands/margin.js')).defineMargin(topic, session),
  },
  {
    name: 'cost',
    description: 'what carriers charge for a segment, by prefix and time',
    fill: async (topic, session) => (await import('./commands/margin.js')).addCostCommands(topic, session),
  },
  {
    name: 'reconcile',
    description: "compare a carrier's records (CDR) with the messages that it took; exit code 1 if they differ",
    fill: async (topic, session) => (await import('./commands/reconcile.js')).defineReconcile(topic, session),
  },
  {
    name: 'fx',
    description: 'set and list exchange rates for deposits',
    fill: async (topic, session) => (await import('./commands/fx.js')).addFxCommands(topic, session),
  },
  {
    name: 'tariff',
    description: 'import and show price lists',
    fill: async (topic, session) => (await import('./commands/tariff.js')).addTariffCommands(topic, session),
  },
  {
    name: 'carrier',
    description: 'add, change, list, pause and remove carriers',
    fill: async (topic, session) => {
      const { CARRIER_OPTIONS } = await import('#carrier');
      (await import('./commands/carrier.js')).addCarrierCommands(topic, session, CARRIER_OPTIONS);
    },
  },
  {
    name: 'route',
    description: 'say which carriers take which numbers',
    fill: async (topic, session) => (await import('./commands/route.js')).addRouteCommands(topic, session),
  },
  {
    name: 'guard',
    description: 'limit what accounts may send, before it costs money',
    fill: async (topic, session) => (await import('./commands/guard.js')).addGuardCommands(topic, session),
  },
  {
    name: 'suppression',
    description: 'numbers to which an account must send nothing',
    fill: async (topic, session) => (await import('./commands/suppression.js')).addSuppressionCommands(topic, session),
  },
  {
    name: 'message',
    description: 'find messages, and follow one',
    fill: async (topic, session) => (await import('./commands/message.js')).addMessageCommands(topic, session),
  },
  {
    name: 'inbound',
    description: 'list messages from handsets, and give them to accounts',
    fill: async (topic, session) => (await import('./commands/inbound.js')).addInboundCommands(topic, session),
  },
  {
    name: 'number',
    description: 'give accounts the numbers that handsets write to',
    fill: async (topic, session) => (await import('./commands/inbound.js')).addNumberCommands(topic, session),
  },
  {
    name: 'keyword',
    description: 'set the words that opt out and in',
    fill: async (topic, session) => (await import('./commands/keyword.js')).addKeywordCommands(topic, session),
  },
  {
    name: 'receipts',
    description: 'look at delivery receipts',
    fill: async (topic, session) => (await import('./commands/receipts.js')).addReceiptCommands(topic, session),
  },
  {
    name: 'ledger',
    description: 'check the books',
    fill: async (topic, session) => (await import('./commands/ledger.js')).addLedgerCommands(topic, session),
  },
  {
    name: 'hold',
    description: 'decide about messages that looked open when the database was restored',
    fill: async (topic, session) => (await import('./commands/hold.js')).addHoldCommands(topic, session),
  },
  {
    name: 'webhook',
    description: 'look at the webhooks of clients, stop them and start them again',
    fill: async (topic, session) => (await import('./commands/webhook.js')).addWebhookCommands(topic, session),
  },
  {
    name: 'retention',
    description: 'set how long texts, numbers and messages are kept; money is kept for ever',
    fill: async (topic, session) => (await import('./commands/retention.js')).addRetentionCommands(topic, session),
  },
  {
    name: 'redact',
    description: 'remove the text and the number of messages now',
    fill: async (topic, session) => (await import('./commands/redact.js')).addRedactCommands(topic, session),
  },
  {
    name: 'secrets',
    description: 'encrypt what is secret in the database: passwords, TLS keys, secrets of webhooks, keys of texts',
    fill: async (topic, session) => (await import('./commands/secrets.js')).addSecretsCommands(topic, session),
  },
  {
    name: 'operator',
    description: 'add, list and remove the people who operate the service, and tokens for programs',
    fill: async (topic, session) => (await import('./commands/operator.js')).addOperatorCommands(topic, session),
  },
  {
    name: 'audit',
    description: 'list what operators changed: who, when, from where, what before and after',
    fill: async (topic, session) => (await import('./commands/audit.js')).defineAudit(topic, session),
  },
  {
    name: 'doctor',
    description: 'say what is wrong with the service; exit code 1 if anything is',
    fill: async (topic, session) => (await import('./commands/doctor.js')).defineDoctor(topic, session),
  },
];

/** Every topic. */
export const TOPIC_NAMES: readonly string[] = TOPICS.map(({ name }) => name);

/**
 * The tree of commands. Only the wanted topics are loaded; the others have a name and a description. Most code of
 * smsctl takes longer to load than one command takes to run.
 */
export async function smsctlProgram(session: Session, wanted: readonly string[]): Promise<Command> {
  const program = new Command('smsctl')
    .description('Operate Heliograph: accounts, money, tariffs, carriers, routes, messages.')
    .version(VERSION, '--version', 'print the version')
    // Read before the rest of the command line (split-place.ts); here they are for the help.
    .option('--url <address>', "the operators' API of a gateway, e.g. https://sms-operators.example.com (SMSCTL_URL)")
    .option('--token <token>', 'of an operator, for --url; better SMSCTL_TOKEN_FILE, which ps does not show')
    .addHelpText(
      'after',
      "\nWith --url, smsctl works through the operators' API of another machine. Without it, smsctl uses the database of\n" +
        'DATABASE_URL: from the environment, or from the .env of this folder or of the one where Heliograph is installed.\n' +
        'If that is not set, it uses the running `npm start` (DATA_DIR, in the same places).\n\n' +
        '--json prints one JSON document: amounts are decimal strings, times are UTC.\n' +
        'Exit codes: 0 done, 1 failed or something is wrong, 2 wrong usage.',
    )
    // The usage line only says [options].
    .configureHelp({
      showGlobalOptions: false,
      optionDescription: (option) =>
        `${Help.prototype.optionDescription(option)}${option.mandatory ? ' (required)' : ''}`,
    })
    // Otherwise commander would take an option of `deposit list` for one of `deposit`.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => {
        const [, place] = /unknown option '--(url|token)\b/.exec(text) ?? [];
        const advice =
          place !== undefined
            ? `; --${place} goes before the command, as in smsctl --${place} ... doctor`
            : /unknown option '-\d/.test(text)
              ? '; an amount below 0 is a decimal number such as -2.50'
              : '';
        write(`${withoutPasswords(text.replace(/^error: /, 'smsctl: '))}${advice}\n`);
      },
    });
  for (const { name, description, fill } of TOPICS) {
    const topic = program.command(name).description(description);
    if (wanted.includes(name)) await fill(topic, session);
  }
  return program;
}

/** The topics that a command line names: its first word, and with `help` the second. */
export function namedTopics(args: readonly string[]): string[] {
  const words = args.filter((word) => !word.startsWith('-'));
  return words.slice(0, words[0] === 'help' ? 2 : 1);
}

/** Commander repeats the command line, which may contain the URL of a carrier. */
function withoutPasswords(text: string): string {
  return text
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/(:\/\/[^:\s]*):\S*@/g, '$1:***@');
}
