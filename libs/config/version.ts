import { readFileSync } from 'node:fs';

/** The package beside the folder that this file is compiled into (`dist/libs/config/version.js`), in an image as well. */
const PACKAGE = new URL('../../../package.json', import.meta.url);

/** The version of Heliograph that this process runs, e.g. `0.2.0`. Of package.json, so that it is written down once. */
export const VERSION: string = (JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }).version;
