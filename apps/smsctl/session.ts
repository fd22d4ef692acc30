import type { Command } from 'commander';
import { settingOf } from '#config/light';
import type { Wire } from '#operations';
import type { Database } from '#persistence';
import { type Environment, locateServers, type Servers } from './locate-servers.js';
import { operatorOf } from './operator.js';
import type { RemoteApi } from './remote-api.js';
import type { AnswerOf, InputOf, Request, RequestName } from './requests.js';

/** The answer of a command. */
export interface Answer {
  /** One document, printed with --json. Amounts are decimal strings, times are ISO 8601. */
  readonly json: unknown;
  /** The same for people. */
  readonly text: string;
  /** The command worked, but found something wrong: exit code 1. */
  readonly isFailure?: boolean;
}

/** Where the command runs: at the operators' API of this address, else on the database that the settings name. */
export interface Place {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
}

/** How many items of a list are asked for at once. */
const PAGE_ITEMS = 1_000;

/** One run of smsctl: asks the service what a command needs, and prints what the command answers. */
export class Session {
  private database: Database | undefined;
  private databaseTimeoutMs: number | undefined;
  hasFailed = false;

  private settings: Environment | undefined;
  private api: RemoteApi | undefined;

  /**
   * @param readEnvironment is called once, when a command asks for settings
   * @param args the command line: stored with every change of the command
   * @param place as the command line says; else the settings SMSCTL_URL and SMSCTL_TOKEN
   */
  constructor(
    private readonly readEnvironment: () => Environment,
    private readonly args: readonly string[],
    private readonly place: Place = {},
  ) {}

  get environment(): Environment {
    this.settings ??= this.readEnvironment();
    return this.settings;
  }

  get url(): string | undefined {
    return this.place.url ?? (this.environment.SMSCTL_URL || undefined);
  }

  servers(): Servers {
    return locateServers(this.environment);
  }

  /** Ends a command that works on the machine itself if it is asked of another one. */
  async stayHere(command: Command): Promise<void> {
    if (this.url === undefined) return;
    const { OperatorError } = await import('#persistence');
    const words = [command.parent?.name(), command.name()].filter((word) => word !== undefined && word !== 'smsctl');
    throw new OperatorError(`\`smsctl ${words.join(' ')}\` works on the machine itself: run it there, without --url`);
  }

  /**
   * Opens the database; the session closes it.
   *
   * @throws DatabaseUnavailable in one line
   */
  async connect(statementTimeoutMs?: number): Promise<Database> {
    if (this.database !== undefined && this.databaseTimeoutMs === statementTimeoutMs) return this.database;
    await this.database?.close();
    const { Database } = await import('#persistence');
    const { locateSecretsKey } = await import('./locate-secrets-key.js');
    const { keys: secretKeys } = locateSecretsKey(this.environment);
    const { databaseUrl, source } = this.servers();
    this.database = await Database.openSingle({
      url: databaseUrl,
      setting: source,
      applicationName: 'smsctl',
      secretKeys,
      encryptsTexts: this.environment.TEXTS_AT_REST === 'encrypted',
      actor: operatorOf(this.environment, this.args),
      ...(statementTimeoutMs !== undefined && { statementTimeoutMs }),
    });
    this.databaseTimeoutMs = statementTimeoutMs;
    return this.database;
  }

  /**
   * Runs a use case: on the database, or at the operators' API of `--url`. Both give the same answer.
   *
   * @throws OperatorError with the reason when it cannot be done
   */
  async call<Name extends RequestName>(name: Name, input: InputOf<Name>): Promise<AnswerOf<Name>> {
    const { REQUESTS } = await import('./requests.js');
    const request = REQUESTS[name] as Request<unknown, unknown>;
    if (this.url !== undefined) {
      return (await (await this.remote()).send(request, input as Record<string, unknown>)) as AnswerOf<Name>;
    }
    const { asWire } = await import('#operations');
    const database = await this.connect(request.statementTimeoutMs);
    return asWire(await request.run(database, input)) as AnswerOf<Name>;
  }

  /** The items of a list with pages: all of them, or the first ones. */
  async items<Name extends PagedName>(
    name: Name,
    input: InputOf<Name>,
    limit?: number,
  ): Promise<readonly ItemOf<Name>[]> {
    const found: ItemOf<Name>[] = [];
    let cursor: string | undefined;
    for (;;) {
      const wanted = Math.min(PAGE_ITEMS, (limit ?? Number.POSITIVE_INFINITY) - found.length);
      const page = (await this.call(name, { ...(input as object), limit: wanted, cursor } as InputOf<Name>)) as {
        data: readonly ItemOf<Name>[];
        next: string | null;
      };
      found.push(...page.data);
      if (page.next === null || found.length === limit) return found;
      cursor = page.next;
    }
  }

  /** Runs a use case and prints its answer; `textOf` says it for people. */
  async show<Name extends RequestName>(
    command: Command,
    name: Name,
    input: InputOf<Name>,
    textOf: (answer: AnswerOf<Name>) => string,
  ): Promise<void> {
    const answer = await this.call(name, input);
    this.print(command, { json: answer, text: textOf(answer) });
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

  private async remote(): Promise<RemoteApi> {
    if (this.api !== undefined) return this.api;
    const { RemoteApi } = await import('./remote-api.js');
    const token = this.place.token ?? settingOf(this.environment, 'SMSCTL_TOKEN');
    if (this.url === undefined || token === undefined) {
      const { OperatorError } = await import('#persistence');
      throw new OperatorError('a token is missing: give --token, or set SMSCTL_TOKEN_FILE');
    }
    this.api = new RemoteApi(this.url, token);
    return this.api;
  }
}

/** The lists with pages. */
type PagedName = {
  [Name in RequestName]: AnswerOf<Name> extends { readonly next: string | null } ? Name : never;
}[RequestName];
type ItemOf<Name extends RequestName> =
  AnswerOf<Name> extends { readonly data: readonly (infer Item)[] } ? Item : never;

export type { Wire };
