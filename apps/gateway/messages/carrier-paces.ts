import { type Database, listCarriers, liveProcesses, reportedCarriers } from '#persistence';

/** A carrier that takes messages from some worker. */
export interface CarrierPace {
  readonly carrierId: number;
  readonly name: string;
  /** Segments a second that it has lately taken, or may take; undefined: not known. */
  readonly perSecond: number | undefined;
}

/** Every carrier that some live worker says takes messages, with its pace. */
export async function readPaces(database: Database): Promise<CarrierPace[]> {
  const [carriers, workers] = await Promise.all([listCarriers(database), liveProcesses(database, 'worker')]);
  const reports = workers.flatMap(reportedCarriers);
  return carriers.flatMap(({ carrierId, name, submitsPerSecond }) => {
    // Workers of releases up to 0.2 tell no pace, and know nothing of carriers' queues.
    const up = reports.filter(
      (report) => report.name === name && report.readiness === 'up' && report.pace !== undefined,
    );
    if (up.length === 0) return [];
    const pace = up.reduce((sum, report) => sum + (report.pace ?? 0), 0);
    return [{ carrierId, name, perSecond: pace > 1 ? Math.min(pace, submitsPerSecond ?? pace) : submitsPerSecond }];
  });
}
