import { type Database, type Overview, readOverview } from '#persistence';

const FRESH_FOR_MS = 4_000;

/** The overview, read at most once in four seconds for everybody who asks this gateway, and only if somebody asks. */
export class OverviewSnapshot {
  private latest: Promise<Overview> | undefined;
  private readAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly database: Database) {}

  /** @throws Error when the database cannot be read; the next caller asks it again */
  read(): Promise<Overview> {
    if (this.latest === undefined || performance.now() - this.readAtMs > FRESH_FOR_MS) {
      this.readAtMs = performance.now();
      const latest = readOverview(this.database);
      latest.catch(() => {
        if (this.latest === latest) this.latest = undefined;
      });
      this.latest = latest;
    }
    return this.latest;
  }
}
