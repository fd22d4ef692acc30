import { hostname } from 'node:os';
import { Database, liveProcesses } from '#persistence';

/** Whether the process with this id has written its heartbeat: from then on it does its work. */
export async function hasReported(
  databaseUrl: string,
  role: 'worker' | 'webhooks',
  pid: number | undefined,
): Promise<boolean> {
  const database = await Database.openSingle({ url: databaseUrl, applicationName: 'heliograph-start' });
  try {
    const processes = await liveProcesses(database, role);
    return processes.some(({ processId }) => processId.startsWith(`${role}-${hostname()}-${pid}-`));
  } finally {
    await database.close();
  }
}
