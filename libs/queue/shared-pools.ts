import pg from 'pg';

/** How a process reaches the queues in PostgreSQL: a pool, and the schema that BullMQ keeps its tables in. */
export type SharedPoolConfig = pg.PoolConfig & { readonly schema: string; readonly max: number };

interface SharedPool {
  readonly pool: pg.Pool;
  readonly connectionsMax: number;
  queues: number;
  listeners: number;
}

/** A queue's part of a pool. */
export interface PoolShare {
  /** For BullMQ, which takes it for a pool of its own. */
  readonly pool: pg.Pool;
  /** Ends the pool with its last queue. */
  giveBack(): Promise<void>;
}

const shared = new Map<string, SharedPool>();

/**
 * The connections of this process to the queues in PostgreSQL. BullMQ makes a pool for each queue, and its plans anew
 * on each connection: with ten carriers a worker held more than sixty. Here all queues of a role share one pool,
 * whatever the number of carriers; only a consumer has a connection for itself, on which it hears of jobs.
 *
 * @param isListener the queue hears of jobs
 */
export function shareOfPool(config: SharedPoolConfig, isListener: boolean): PoolShare {
  const key = JSON.stringify([config.connectionString, config.application_name]);
  const of = shared.get(key) ?? openShared(config);
  shared.set(key, of);
  of.queues += 1;
  const resize = (listeners: number) => {
    of.listeners += listeners;
    of.pool.options.max = of.connectionsMax + of.listeners;
  };
  if (isListener) resize(1);
  return {
    pool: sharePool(of.pool),
    giveBack: async () => {
      of.queues -= 1;
      if (isListener) resize(-1);
      if (of.queues > 0) return;
      shared.delete(key);
      await of.pool.end();
    },
  };
}

function openShared({ schema, ...config }: SharedPoolConfig): SharedPool {
  // BullMQ's statements name its tables without their schema.
  const pool = new pg.Pool({ ...config, options: `-c search_path="${schema}"` });
  // An idle connection that breaks leaves the pool by itself; without a listener it would end the process.
  pool.on('error', () => undefined);
  return { pool, connectionsMax: config.max, queues: 0, listeners: 0 };
}

/** What BullMQ asks of a pool. A queue adds a listener to its pool and never takes it away: here none is kept. */
function sharePool(pool: pg.Pool): pg.Pool {
  const asked: Pick<pg.Pool, 'connect' | 'query' | 'end' | 'on' | 'options'> = {
    connect: pool.connect.bind(pool),
    query: pool.query.bind(pool),
    end: async () => undefined,
    on: () => pool,
    options: pool.options,
  };
  return asked as pg.Pool;
}
