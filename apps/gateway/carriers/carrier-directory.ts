import { type Database, listCarriers, type StoredCarrier } from '#persistence';

/** How long carriers are known without asking the database; a change announced by an operator takes effect at once. */
const CARRIERS_TRUSTED_MS = 5_000;

/** The carriers by their names, in memory: each callback needs one. Holds passwords. */
export class CarrierDirectory {
  private known: { readonly carriers: Promise<Map<string, StoredCarrier>>; readonly expiresMs: number } | undefined;

  constructor(private readonly database: Database) {}

  async find(name: string): Promise<StoredCarrier | undefined> {
    const nowMs = performance.now();
    if (this.known === undefined || this.known.expiresMs <= nowMs) {
      const carriers = listCarriers(this.database).then((list) => new Map(list.map((one) => [one.name, one])));
      const reading = { carriers, expiresMs: nowMs + CARRIERS_TRUSTED_MS };
      this.known = reading;
      // A failed look-up says nothing about the carriers.
      carriers.catch(() => {
        if (this.known === reading) this.known = undefined;
      });
    }
    return (await this.known.carriers).get(name);
  }

  forget(): void {
    this.known = undefined;
  }
}
