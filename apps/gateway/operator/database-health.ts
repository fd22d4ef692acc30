import { type Database, databaseFigures } from '#persistence';
import { type ShowFigure, single } from './show-figure.js';

/** How the database itself is. */
export async function showDatabase(database: Database, show: ShowFigure): Promise<void> {
  const figures = await databaseFigures(database);
  show(
    'heliograph_database_size_bytes',
    'Size of the database on disk, without the write-ahead log.',
    [],
    single(figures.bytes),
  );
  show(
    'heliograph_database_connections',
    'Connections of clients to the database server.',
    [],
    single(figures.connections),
  );
  show(
    'heliograph_database_connections_max',
    'Connections that the database server allows.',
    [],
    single(figures.connectionsMax),
  );
  show(
    'heliograph_database_oldest_transaction_seconds',
    'Age of the oldest transaction in the database, which vacuum waits for; of other roles only with `pg_read_all_stats`.',
    [],
    single(figures.oldestTransactionSeconds),
  );
  show(
    'heliograph_database_retained_wal_bytes',
    'Write-ahead log that the replication slot that is furthest behind keeps on disk.',
    [],
    single(figures.retainedWalBytes),
  );
}
