import { Injectable } from '@nestjs/common';
import {
  Database,
  listCarriers,
  type OpenCarrier,
  openCarrier,
  SecretUnreadable,
  type StoredCarrier,
} from '#persistence';

/** How long the carriers in memory are used without asking the database; an operator's change takes effect at once. */
const CARRIERS_TRUSTED_MS = 5_000;

/** The carriers by name, in memory, because each callback needs one. Holds passwords. */
@Injectable()
export class CarrierDirectory {
  private known:
    | { readonly carriers: Promise<Map<string, OpenCarrier | SecretUnreadable>>; readonly expiresMs: number }
    | undefined;

  constructor(private readonly database: Database) {}

  /** @throws SecretUnreadable when this process has no key for the carrier's secrets */
  async find(name: string): Promise<OpenCarrier | undefined> {
    const nowMs = performance.now();
    if (this.known === undefined || this.known.expiresMs <= nowMs) {
      const carriers = listCarriers(this.database).then(
        (list) => new Map(list.map((one) => [one.name, this.opened(one)])),
      );
      const reading = { carriers, expiresMs: nowMs + CARRIERS_TRUSTED_MS };
      this.known = reading;
      // A failed look-up says nothing about the carriers.
      carriers.catch(() => {
        if (this.known === reading) this.known = undefined;
      });
    }
    const found = (await this.known.carriers).get(name);
    if (found instanceof SecretUnreadable) throw found;
    return found;
  }

  forget(): void {
    this.known = undefined;
  }

  /** If one carrier's secrets cannot be read, the others remain. */
  private opened(carrier: StoredCarrier): OpenCarrier | SecretUnreadable {
    try {
      return openCarrier(this.database.secretKeys, carrier);
    } catch (error) {
      if (error instanceof SecretUnreadable) return error;
      throw error;
    }
  }
}
