import pg from 'pg';
import type { OperatorActor } from '../operators/operator-actor.js';
import type { StatementRunner, StatementSource } from './statement-source.js';

/**
 * The same connections; each transaction names its actor first, and so does each statement outside a transaction. A
 * connection of a pool serves others as well, so the name holds for one transaction only.
 */
export function actingSource(source: StatementSource, actor: OperatorActor): StatementSource {
  // No SELECT: the work may still want to set the isolation level, which has to come before the first one.
  const naming = `set local heliograph.actor = ${pg.escapeLiteral(JSON.stringify(actor))}`;
  const transaction = <Result>(work: (one: StatementRunner) => Promise<Result>): Promise<Result> =>
    source.transaction(async (one) => {
      await one.query(naming);
      return work(one);
    });
  return {
    transaction,
    query: (sql, parameters) => transaction((one) => one.query(sql, parameters)),
    // The pool belongs to whoever opened it.
    destroy: async () => undefined,
  };
}
