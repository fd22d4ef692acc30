import { Injectable } from '@nestjs/common';
import {
  Database,
  isPoison,
  listCarriers,
  type OpenCarrier,
  openCarrier,
  SecretUnreadable,
  type StoredCarrier,
} from '#persistence';
import { KeptAnswer, tryAgain } from '#timing';

/** How long the carriers in memory are used without asking the database; an operator's change takes effect at once. */
const CARRIERS_TRUSTED_MS = 5_000;
/** Not every provider calls again after a 503. All callbacks wait for the same answer: anybody can make some. */
const ASKING = { giveUpAfterMs: 4_000, waitMs: 200 };

/** The carriers by name, in memory, because each callback needs one. Holds passwords. */
@Injectable()
export class CarrierDirectory {
  private readonly carriers = new KeptAnswer(CARRIERS_TRUSTED_MS, async () => {
    const carriers = await tryAgain(
      () => listCarriers(this.database),
      (error) => !isPoison(error),
      ASKING,
    );
    return new Map(carriers.map((one) => [one.name, this.opened(one)]));
  });

  constructor(private readonly database: Database) {}

  /** @throws SecretUnreadable when this process has no key for the carrier's secrets */
  async find(name: string): Promise<OpenCarrier | undefined> {
    const found = (await this.carriers.get()).get(name);
    if (found instanceof SecretUnreadable) throw found;
    return found;
  }

  forget(): void {
    this.carriers.forget();
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
