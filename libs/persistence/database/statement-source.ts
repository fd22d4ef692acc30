/** What statements go out on: the pool, or one connection. */
export interface StatementSource extends StatementRunner {
  transaction<Result>(work: (transaction: StatementRunner) => Promise<Result>): Promise<Result>;
  destroy(): Promise<void>;
}

export interface StatementRunner {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}
