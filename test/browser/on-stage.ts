import { afterAll, beforeAll, describe } from '@jest/globals';
import { findChromium } from '../../scripts/chromium/find-chromium.js';
import { ConsoleStage } from './console-stage.js';

const found = findChromium();

/**
 * Journeys that share one browser and one service. Like the specs of Redis: what this machine lacks does not exist
 * here, and REQUIRE_CHROMIUM=1 makes its lack a failure.
 */
export function onStage(name: string, ...journeys: readonly ((stage: () => ConsoleStage) => void)[]): void {
  if (found === undefined) return;
  describe(name, () => {
    let stage: ConsoleStage;
    beforeAll(async () => {
      stage = await ConsoleStage.start(found);
    });
    afterAll(() => stage?.close());

    for (const journey of journeys) journey(() => stage);
  });
}
