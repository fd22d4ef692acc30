import { Coalescer } from '#batching';
import { type Database, findKeyHolders, type KeyHolder } from '#persistence';

/** The most keys in one query, one query at a time: however many keys come, the database does no more than that. */
const LOOK_UP = { itemsMax: 500, pendingMax: 5_000, waitMaxMs: 10_000 };
/**
 * The least time between two queries for keys that are not known. Without it 400 invented keys a second were 400
 * queries; a new key that comes alone still waits for nothing.
 */
const UNKNOWN_GATHER_MS = 20;
/** The same for what open consoles ask by themselves, and for keys that are still trusted: nobody waits for it. */
const BACKGROUND_GATHER_MS = 100;

/**
 * Looks API keys up in the database. Keys that are asked for together share one query. Keys that were valid before have
 * their own line, so that a flood of invented keys does not delay known ones.
 */
export class KeyLookUps {
  private readonly asked = new Map<string, Promise<KeyHolder | undefined>>();
  private readonly lines: Record<'firstTime' | 'again' | 'inBackground', Coalescer<string, KeyHolder | undefined>>;

  /** @param note called once for a look-up that nobody has told to forget; not if it fails, which says nothing */
  constructor(
    database: Database,
    private readonly note: (apiKey: string, holder: KeyHolder | undefined) => void,
  ) {
    const lookUp = (keys: string[]) => findKeyHolders(database, keys);
    this.lines = {
      firstTime: new Coalescer(lookUp, { ...LOOK_UP, gatherMs: UNKNOWN_GATHER_MS }),
      again: new Coalescer(lookUp, LOOK_UP),
      inBackground: new Coalescer(lookUp, { ...LOOK_UP, gatherMs: BACKGROUND_GATHER_MS }),
    };
  }

  /**
   * The holder of a key; requests with the same key share a look-up.
   *
   * @throws Overloaded when too many keys wait to be looked up
   */
  find(apiKey: string, line: keyof KeyLookUps['lines']): Promise<KeyHolder | undefined> {
    const asked = this.asked.get(apiKey);
    if (asked !== undefined) return asked;
    const holder: Promise<KeyHolder | undefined> = this.lines[line].add(apiKey).then((found) => {
      if (this.asked.get(apiKey) === holder) this.note(apiKey, found);
      return found;
    });
    this.asked.set(apiKey, holder);
    const end = () => {
      if (this.asked.get(apiKey) === holder) this.asked.delete(apiKey);
    };
    holder.then(end, end);
    return holder;
  }

  /**
   * Looks up a key that is known before its time is over, together with others: 1,000 accounts that send all the time
   * would be hundreds of queries a second. A failure changes nothing.
   */
  refresh(apiKey: string): void {
    if (!this.asked.has(apiKey)) this.find(apiKey, 'inBackground').catch(() => undefined);
  }

  /** Who asks from now on gets an answer from after this moment, and answers from before it are not noted. */
  forget(): void {
    this.asked.clear();
  }
}
