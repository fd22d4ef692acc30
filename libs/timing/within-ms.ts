/** Work did not end within its bound; it may still end later. */
export class NoAnswerInTime extends Error {
  constructor(boundMs: number) {
    super(`no answer within ${boundMs} ms`);
    this.name = 'NoAnswerInTime';
  }
}

/**
 * The result of work that ends within a bound. What it does after that, nobody hears of.
 *
 * @throws NoAnswerInTime when it does not
 */
export async function withinMs<Result>(work: Promise<Result>, boundMs: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswerInTime(boundMs)), boundMs);
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, bound]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for the end of work, but not longer than this. A failure within the bound is thrown. */
export async function waitAtMost(boundMs: number, work: Promise<unknown>): Promise<void> {
  try {
    await withinMs(work, boundMs);
  } catch (error) {
    if (!(error instanceof NoAnswerInTime)) throw error;
  }
}
