import { readFileSync } from 'node:fs';

/**
 * The package.json beside the folder that this file is compiled into (`dist/libs/config/version.js`), also in an image.
 */
const PACKAGE = new URL('../../../package.json', import.meta.url);

/** The version of Heliograph that this process runs, e.g. `0.2.0`, from package.json. */
export const VERSION: string = (JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }).version;
