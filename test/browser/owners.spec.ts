import { composeJourneys } from './compose-journeys.js';
import { figureJourneys } from './figure-journeys.js';
import { onStage } from './on-stage.js';
import { ownerJourneys } from './owner-journeys.js';
import { privacyJourneys } from './privacy-journeys.js';
import { slipJourneys } from './slip-journeys.js';
import { webhookJourneys } from './webhook-journeys.js';

onStage(
  'the console of account owners',
  ownerJourneys,
  composeJourneys,
  webhookJourneys,
  privacyJourneys,
  figureJourneys,
  slipJourneys,
);
