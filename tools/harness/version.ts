import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the version that runs this. */
export const THIS_VERSION = fileURLToPath(new URL('../../../', import.meta.url));

/** A compiled program of this version or another. */
export function programOf(program: string, version = THIS_VERSION): string {
  return join(version, 'dist', program);
}
