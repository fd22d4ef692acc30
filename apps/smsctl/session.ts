import type { Command } from 'commander';
import type { Database } from '#persistence';
import { type Environment, locateServers, type Servers } from './locate-servers.js';
import { operatorOf } from './operator.js';

/** The answer of a command. */
export interface Answer {
  /** One document, printed with --json. Amounts are decimal strings, times are Date. */
  readonly json: unknown;
  /** The same for people. */
  readonly text: string;
  /** The command worked, but found something wrong: exit code 1. */
  readonly isFailure?: boolean;
}

/** One run of smsctl: opens the database when a command needs it and prints what the command answers. */
export class Session {
  private database: Database | undefined;
  hasFailed = false;

  private settings: Environment | undefined;

  /**
   * @param readEnvironment is called once, when a command asks for settings
   * @param args the command line: stored with every change of the command
   */
  constructor(
    private readonly readEnvironment: () => Environment,
    private readonly args: readonly string[],
  ) {}

  get environment(): Environment {
    this.settings ??= this.readEnvironment();
    return this.settings;
  }

  servers(): Servers {
    return locateServers(this.environment);
  }

  /**
   * Opens the database; the session closes it.
   *
   * @throws DatabaseUnavailable in one line
   */
  async connect(statementTimeoutMs?: number): Promise<Database> {
    const { Database } = await import('#persistence');
    const { locateSecretsKey } = await import('./locate-secrets-key.js');
    this.database = await Database.openSingle({
      url: this.servers().databaseUrl,
      applicationName: 'smsctl',
      secretKeys: locateSecretsKey(this.environment).keys,
      actor: operatorOf(this.environment, this.args),
      ...(statementTimeoutMs !== undefined && { statementTimeoutMs }),
    });
    return this.database;
  }

  /** Runs a command on the database and prints its answer. */
  async answer(command: Command, work: (database: Database) => Promise<Answer>): Promise<void> {
    this.print(command, await work(await this.connect()));
  }

  print(command: Command, answer: Answer): void {
    const text =
      command.opts<{ json?: boolean }>().json === true ? JSON.stringify(answer.json, undefined, 2) : answer.text;
    process.stdout.write(`${text}\n`);
    this.hasFailed ||= answer.isFailure === true;
  }

  async close(): Promise<void> {
    await this.database?.close();
  }
}
