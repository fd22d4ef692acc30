import fc from 'fast-check';

/** Time that a property may take with the runs of the ordinary suite, on a slow and busy machine. */
const TIMEOUT_MS = 300_000;
const LONG_TIMEOUT_MS = 24 * 3_600_000;

/**
 * Runs of every property in the specs that ask for it, as set from outside: `FUZZ_RUNS=10000 npm test -- test/carrier`.
 */
const RUNS = wholeNumber('FUZZ_RUNS');
/**
 * Of the ordinary suite, which tries the same each time, so that it fails by a change and not by chance; `FUZZ_RUNS`
 * looks further.
 */
const ORDINARY_SEED = 20_261_121;
/** With what fast-check printed of a failure, `FUZZ_SEED=… FUZZ_PATH=…` repeats it. */
const SEED = wholeNumber('FUZZ_SEED') ?? (RUNS === undefined ? ORDINARY_SEED : undefined);
const PATH = process.env.FUZZ_PATH;

/** What fast-check printed as `replayPath` of a failed history of commands. */
export const FUZZ_REPLAY_PATH = process.env.FUZZ_REPLAY_PATH ?? null;

/** How long a property with these runs may take. */
export const FUZZ_TIMEOUT_MS = RUNS === undefined ? TIMEOUT_MS : LONG_TIMEOUT_MS;

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;
const CODE_POINTS = 0x110000;

/**
 * A unit of texts: any character but half of a pair. It gives what `binary` of fast-check does, which writes a map of
 * all 1.1 million characters first: a second, and 84 MB for as long as the process lives.
 */
export const ANY_CHARACTER: fc.Arbitrary<string> = fc.nat(CODE_POINTS - SURROGATES - 1).map(characterAt, indexOf);

function characterAt(index: number): string {
  return String.fromCodePoint(index < SURROGATES_FROM ? index : index + SURROGATES);
}

function indexOf(text: unknown): number {
  const point = String(text).codePointAt(0) ?? Number.NaN;
  const index = point < SURROGATES_FROM ? point : point - SURROGATES;
  // fast-check asks of any text whether it is one of these.
  if (characterAt(index) !== text) throw new Error('not one character');
  return index;
}

/** How often something random is tried: so often in the ordinary suite, `FUZZ_RUNS` times where that is set. */
export function fuzzRuns(ordinarily: number): number {
  return RUNS ?? ordinarily;
}

/** The seed of what fast-check does not draw itself; print it with every failure. */
export function fuzzSeed(): number {
  return SEED ?? Math.floor(Math.random() * 0x7fffffff);
}

/** Parameters of a property that is tried so often in the ordinary suite. */
export function fuzz<Values>(ordinarily: number, parameters: fc.Parameters<Values> = {}): fc.Parameters<Values> {
  return {
    ...parameters,
    numRuns: fuzzRuns(ordinarily),
    ...(SEED !== undefined && { seed: SEED }),
    ...(PATH !== undefined && { path: PATH, endOnFailure: true }),
  };
}

function wholeNumber(name: string): number | undefined {
  const text = process.env[name];
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (!Number.isInteger(value)) throw new Error(`${name} must be a whole number, not ${text}`);
  return value;
}
