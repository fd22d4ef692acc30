/** Paths of the versions of Node to try; the gate gives those of 20, 22 and 24. */
export const NODES = process.env.TEST_NODES?.split(':') ?? [process.execPath];
