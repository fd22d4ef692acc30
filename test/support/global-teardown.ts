import { dropTemplate } from './database.js';
import { stopStarted } from './global-setup.js';

/** After the last spec. */
export default async function tearDown(): Promise<void> {
  await dropTemplate();
  await stopStarted();
}
