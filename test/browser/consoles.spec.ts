import { afterAll, beforeAll, describe } from '@jest/globals';
import { findChromium } from '../../scripts/chromium/find-chromium.js';
import { composeJourneys } from './compose-journeys.js';
import { ConsoleStage } from './console-stage.js';
import { operatorJourneys } from './operator-journeys.js';
import { operatorMoneyJourneys } from './operator-money-journeys.js';
import { operatorPeopleJourneys } from './operator-people-journeys.js';
import { operatorTrafficJourneys } from './operator-traffic-journeys.js';
import { ownerJourneys } from './owner-journeys.js';
import { privacyJourneys } from './privacy-journeys.js';
import { stateJourneys } from './state-journeys.js';
import { webhookJourneys } from './webhook-journeys.js';

const found = findChromium();

// Like the specs of Redis: what this machine lacks does not exist here, and REQUIRE_CHROMIUM=1 makes its lack a failure.
// One spec for both consoles, so that all journeys share one browser and one service.
if (found !== undefined) {
  describe('the consoles in a browser', () => {
    let stage: ConsoleStage;
    beforeAll(async () => {
      stage = await ConsoleStage.start(found);
    });
    afterAll(() => stage?.close());

    ownerJourneys(() => stage);
    operatorJourneys(() => stage);
    operatorMoneyJourneys(() => stage);
    operatorTrafficJourneys(() => stage);
    operatorPeopleJourneys(() => stage);
    composeJourneys(() => stage);
    webhookJourneys(() => stage);
    privacyJourneys(() => stage);
    stateJourneys(() => stage);
  });
}
