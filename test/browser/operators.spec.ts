import { onStage } from './on-stage.js';
import { operatorHoldJourneys } from './operator-hold-journeys.js';
import { operatorJourneys } from './operator-journeys.js';
import { operatorMoneyJourneys } from './operator-money-journeys.js';
import { operatorPeopleJourneys } from './operator-people-journeys.js';
import { operatorTrafficJourneys } from './operator-traffic-journeys.js';
import { stateJourneys } from './state-journeys.js';

onStage(
  'the console of operators, and states of both',
  operatorJourneys,
  operatorMoneyJourneys,
  operatorTrafficJourneys,
  operatorPeopleJourneys,
  operatorHoldJourneys,
  stateJourneys,
);
