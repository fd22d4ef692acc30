import { hostname } from 'node:os';
import { Database, liveProcesses } from '#persistence';

/** Whether the worker with this process id has written its heartbeat: from then on it dispatches messages. */
export async function workerHasReported(databaseUrl: string, pid: number | undefined): Promise<boolean> {
  const database = await Database.openSingle({ url: databaseUrl, applicationName: 'heliograph-start' });
  try {
    const workers = await liveProcesses(database, 'worker');
    return workers.some(({ processId }) => processId.startsWith(`worker-${hostname()}-${pid}-`));
  } finally {
    await database.close();
  }
}
