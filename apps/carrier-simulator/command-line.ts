import { Command, InvalidArgumentError, Option } from 'commander';
import { wholeNumber } from '#config';
import { MESSAGE_ID_FORMS, type MessageIdForm, RECEIPT_ID_FORMS, type ReceiptIdForm } from './message-ids.js';
import {
  DEFAULT_BEHAVIOUR,
  RECEIPT_FORMATS,
  RECEIPT_POLICIES,
  type ReceiptFormat,
  type ReceiptPolicy,
  type SimulatorOptions,
  WINDOW_SIZE_MAX,
} from './options.js';
import type { DefaultAlphabet } from './text-decoding.js';

interface Flags {
  port: number;
  httpPort?: number;
  host: string;
  systemId?: string;
  password?: string;
  latencyMs: number;
  latencySpreadMs: number;
  receiptDelayMs: number;
  tps: number;
  window: number;
  receipts: ReceiptPolicy;
  messageId: MessageIdForm;
  receiptId: ReceiptIdForm;
  receiptFormat: ReceiptFormat;
  echoUmr: boolean;
  magic: boolean;
  defaultAlphabet: DefaultAlphabet;
  receiptWindow: number;
  receiptTries: number;
  receiptRetryMs: number;
  controlPort?: number;
  log?: string;
  quiet: boolean;
  seed: number;
  refuseRate: number;
  throttleRate: number;
  errorRate: number;
  noResponseRate: number;
  lostResponseRate: number;
  disconnectRate: number;
  failRate: number;
  receiptMix: boolean;
  lateReceiptMs: number;
  reply: string;
}

const EXAMPLES = `
Examples:
  carrier-simulator                                           listen on SIMULATOR_HOST:SIMULATOR_PORT, accept any bind
  carrier-simulator --port 2776 --system-id acme --password secret
  carrier-simulator --http-port 8026                          the HTTP message API as well
  carrier-simulator --tps 100 --latency-ms 20 --log carrier.jsonl
  carrier-simulator --message-id hex --receipt-id decimal --receipt-format text
  carrier-simulator --seed 7 --disconnect-rate 0.001 --fail-rate 0.05
  carrier-simulator --quiet --receipt-delay-ms 50             for benchmarks

Destinations that end in 999000NN get a special treatment each: see docs/simulator.md.`;

export interface CommandLine {
  readonly options: SimulatorOptions;
  readonly isQuiet: boolean;
  readonly controlPort: number | undefined;
}

/** The values of missing flags. */
export interface CommandLineDefaults {
  readonly port: number;
  readonly host: string;
}

/**
 * Reads the flags. `--help` and a wrong flag print commander's text and end the process.
 *
 * @param argv the arguments only, without node and the script
 */
export function parseCommandLine(argv: readonly string[], defaults: CommandLineDefaults): CommandLine {
  const flags = buildProgram(defaults)
    .parse([...argv], { from: 'user' })
    .opts<Flags>();
  return { options: optionsOf(flags), isQuiet: flags.quiet, controlPort: flags.controlPort };
}

function optionsOf(flags: Flags): SimulatorOptions {
  return {
    port: flags.port,
    httpPort: flags.httpPort,
    host: flags.host,
    systemId: flags.systemId,
    password: flags.password,
    seed: flags.seed,
    // Tests read the file, not the memory of this process.
    keepRecords: false,
    logFile: flags.log,
    latencyMs: flags.latencyMs,
    latencySpreadMs: flags.latencySpreadMs,
    receiptDelayMs: flags.receiptDelayMs,
    submitsPerSecond: flags.tps,
    windowSize: flags.window,
    receipts: flags.receipts,
    messageIdForm: flags.messageId,
    receiptIdForm: flags.receiptId,
    receiptFormat: flags.receiptFormat,
    echoUserMessageReference: flags.echoUmr,
    magicNumbers: flags.magic,
    defaultAlphabet: flags.defaultAlphabet,
    receiptWindowSize: flags.receiptWindow,
    receiptTriesMax: flags.receiptTries,
    receiptRetryMs: flags.receiptRetryMs,
    refuseRate: flags.refuseRate,
    throttleRate: flags.throttleRate,
    errorRate: flags.errorRate,
    noResponseRate: flags.noResponseRate,
    lostResponseRate: flags.lostResponseRate,
    disconnectRate: flags.disconnectRate,
    failRate: flags.failRate,
    receiptMix: flags.receiptMix,
    lateReceiptMs: flags.lateReceiptMs,
    reply: flags.reply,
  };
}

function buildProgram(defaults: CommandLineDefaults): Command {
  const usual = DEFAULT_BEHAVIOUR;
  return new Command('carrier-simulator')
    .description('A stand-in carrier: speaks SMPP 3.4, and an HTTP message API if asked, and behaves as it is told.')
    .option('--port <port>', 'port to listen on, 0 for a free one', wholeNumber(0, 65_535), defaults.port)
    .option(
      '--http-port <port>',
      'port of the HTTP message API, 0 for a free one (default: none)',
      wholeNumber(0, 65_535),
    )
    .option('--host <host>', 'address to listen on', defaults.host)
    .option('--system-id <id>', 'the only system_id, or account SID, that may bind (default: any)')
    .option('--password <password>', 'the only password, or auth token, that may bind (default: any)')
    .option('--latency-ms <ms>', 'wait before each submit_sm_resp', wholeNumber(0, 600_000), usual.latencyMs)
    .option('--latency-spread-ms <ms>', 'up to so much more, by chance', wholeNumber(0, 600_000), usual.latencySpreadMs)
    .option('--receipt-delay-ms <ms>', 'wait before each receipt', wholeNumber(0, 3_600_000), usual.receiptDelayMs)
    .option('--tps <n>', 'submit_sm per second, over it ESME_RTHROTTLED; 0: no limit', wholeNumber(0, 1_000_000), 0)
    .option('--window <n>', 'unanswered submit_sm per bind', wholeNumber(1, WINDOW_SIZE_MAX), usual.windowSize)
    .addOption(choice('--receipts <policy>', 'on: as asked for; off; always', RECEIPT_POLICIES, usual.receipts))
    .addOption(choice('--message-id <form>', 'in submit_sm_resp', MESSAGE_ID_FORMS, usual.messageIdForm))
    .addOption(choice('--receipt-id <form>', 'of the id in receipts', RECEIPT_ID_FORMS, usual.receiptIdForm))
    .addOption(choice('--receipt-format <format>', 'what a receipt holds', RECEIPT_FORMATS, usual.receiptFormat))
    .option('--echo-umr', 'echo user_message_reference in receipts', true)
    .option('--no-echo-umr', 'leave user_message_reference out of receipts')
    .option('--no-magic', 'treat numbers that end in 999000NN as ordinary ones')
    .addOption(choice('--default-alphabet <alphabet>', 'of data_coding 0', ['gsm0338', 'latin1'], 'gsm0338'))
    .option(
      '--receipt-window <n>',
      'unacknowledged receipts per bind',
      wholeNumber(1, 100_000),
      usual.receiptWindowSize,
    )
    .option('--receipt-tries <n>', 'tries of a receipt', wholeNumber(1, 1_000), usual.receiptTriesMax)
    .option('--receipt-retry-ms <ms>', 'wait between tries', wholeNumber(1, 3_600_000), usual.receiptRetryMs)
    .option(
      '--control-port <port>',
      'change what it does while it runs, over HTTP on the loopback',
      wholeNumber(1, 65_535),
    )
    .option('--log <file>', 'append every PDU and receipt to this file as JSON lines, texts and numbers included')
    .addOption(new Option('--quiet', 'least work: no records, no log lines of binds').default(false).conflicts('log'))
    .option('--seed <n>', 'start of the random faults', wholeNumber(0, 0xffff_ffff), 1)
    .option('--refuse-rate <share>', 'share of submit_sm answered ESME_RINVDSTADR, 0 to 1', share, 0)
    .option('--throttle-rate <share>', 'share answered ESME_RTHROTTLED', share, 0)
    .option('--error-rate <share>', 'share answered ESME_RSYSERR', share, 0)
    .addOption(notNegated('--no-response-rate <share>', 'share never answered, half of them taken', share))
    .option('--lost-response-rate <share>', 'share taken and never answered; their receipts follow', share, 0)
    .option('--disconnect-rate <share>', 'share at which the connection drops', share, 0)
    .option('--fail-rate <share>', 'share of receipts that say UNDELIV', share, 0)
    .option('--receipt-mix', 'receipts early, late, double, contradictory, foreign, unreadable, never', false)
    .option('--late-receipt-ms <ms>', 'how late the late ones are', wholeNumber(1, 86_400_000), usual.lateReceiptMs)
    .option('--reply <text>', 'what each handset answers to a message', usual.reply)
    .addHelpText('after', EXAMPLES);
}

function choice(flags: string, description: string, choices: readonly string[], usual: string): Option {
  return new Option(flags, description).choices(choices).default(usual);
}

/** Commander treats every `--no-x` as the opposite of `--x`. */
function notNegated(flags: string, description: string, parse: (value: string) => number): Option {
  const option = new Option(flags, description).argParser(parse).default(0);
  option.negate = false;
  return option;
}

function share(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !(number >= 0 && number <= 1)) throw new InvalidArgumentError('It must be from 0 to 1.');
  return number;
}
