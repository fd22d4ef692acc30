import { after } from './after.js';
import { ConnectionError, HeliographError, TimeoutError } from './errors.js';

/** One request on its way: it ends by the caller's signal, or when nothing came for `timeoutMs`. */
export class Attempt {
  readonly #controller = new AbortController();
  readonly #given: AbortSignal | undefined;
  readonly #timeoutMs: number;
  readonly #abort: () => void;
  #isLate = false;
  /** Ends what `inTime` waits for: a `fetch` of the caller may take no notice of the signal. */
  #reject: (reason: unknown) => void = () => undefined;

  constructor(given: AbortSignal | undefined, timeoutMs: number) {
    this.#given = given;
    this.#timeoutMs = timeoutMs;
    this.#abort = () => {
      this.#controller.abort(given?.reason);
      this.#reject(this.signal.reason);
    };
    given?.addEventListener('abort', this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * What the work gives, if it gives it in time.
   *
   * @throws the reason of the caller's signal, the work's own HeliographError, TimeoutError or ConnectionError
   */
  async inTime<Result>(work: () => Promise<Result>): Promise<Result> {
    const timer = after(this.#timeoutMs, () => {
      this.#isLate = true;
      this.#abort();
    });
    try {
      this.#given?.throwIfAborted();
      const ended = new Promise<never>((_resolve, reject) => {
        this.#reject = reject;
      });
      return await Promise.race([work(), ended]);
    } catch (error) {
      this.#given?.throwIfAborted();
      throw this.#errorOf(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** To be called when the request is over: the caller's signal may live for long. */
  end(): void {
    this.#given?.removeEventListener('abort', this.#abort);
  }

  #errorOf(cause: unknown): HeliographError {
    if (cause instanceof HeliographError) return cause;
    if (this.#isLate) return new TimeoutError(`No answer came within ${this.#timeoutMs} ms`, { cause });
    return new ConnectionError('The connection to the service failed', { cause });
  }
}
