import { type LookupAddress, type LookupAllOptions, lookup as lookUpName } from 'node:dns';
import { NoAnswerInTime, withinMs } from '#timing';

/** A name that is not found within this time is called at the addresses that it had before. */
const SLOW_MS = 2_000;

/** Finds the addresses of a name; that of Node asks the system. */
export type NameLookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * The name of a receiver. Node has the system look up two names at a time, the others wait (libuv,
 * `slow_work_thread_threshold`), and a name whose servers do not answer takes 20 seconds and more. So a receiver has
 * one lookup under way for all of its connections, and one whose name was found before does not wait for the names of
 * others.
 */
export class ReceiverName {
  private underWay: Promise<LookupAddress[]> | undefined;
  private found: LookupAddress[] | undefined;

  constructor(private readonly lookUp: NameLookup = lookUpName) {}

  /** @throws Error of the system when the name is not found */
  async addresses(hostname: string, options: LookupAllOptions): Promise<LookupAddress[]> {
    this.underWay ??= this.find(hostname, options).finally(() => {
      this.underWay = undefined;
    });
    const { underWay, found } = this;
    if (found === undefined) return underWay;
    try {
      return await withinMs(underWay, SLOW_MS);
    } catch (error) {
      if (error instanceof NoAnswerInTime) return found;
      throw error;
    }
  }

  private async find(hostname: string, options: LookupAllOptions): Promise<LookupAddress[]> {
    this.found = await new Promise<LookupAddress[]>((resolve, reject) => {
      this.lookUp(hostname, options, (error, addresses) => (error === null ? resolve(addresses) : reject(error)));
    });
    return this.found;
  }
}
