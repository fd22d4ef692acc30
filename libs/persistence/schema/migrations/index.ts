import { InitialSchema1763600000000 } from './1763600000000-initial-schema.js';
import { CarriersAndRoutes1763700000000 } from './1763700000000-carriers-and-routes.js';
import { DispatchHold1763700200000 } from './1763700200000-dispatch-hold.js';
import { DispatchByRoute1763700400000 } from './1763700400000-dispatch-by-route.js';
import { CheaperStatements1763800000000 } from './1763800000000-cheaper-statements.js';
import { FairDispatch1763800200000 } from './1763800200000-fair-dispatch.js';
import { Retention1763840000000 } from './1763840000000-retention.js';
import { Growth1763840100000 } from './1763840100000-growth.js';
import { LongBacklogs1763850000000 } from './1763850000000-long-backlogs.js';
import { FewerPasses1763860000000 } from './1763860000000-fewer-passes.js';
import { WireFormat1763900100000 } from './1763900100000-wire-format.js';
import { Simulators1763900200000 } from './1763900200000-simulators.js';
import { Operators1763900300000 } from './1763900300000-operators.js';
import { FullerLists1763900400000 } from './1763900400000-fuller-lists.js';
import { LimitsByMessage1763900500000 } from './1763900500000-limits-by-message.js';
import { NoSecretsOfRemovedCarriers1763900600000 } from './1763900600000-no-secrets-of-removed-carriers.js';

/**
 * Every migration, oldest first. Forward only: a mistake is mended by the next one. Functions stand in their own files as they are
 * now: a migration that changes some runs their files again, and drops what has other arguments.
 */
export const MIGRATIONS = [
  InitialSchema1763600000000,
  CarriersAndRoutes1763700000000,
  DispatchHold1763700200000,
  DispatchByRoute1763700400000,
  CheaperStatements1763800000000,
  FairDispatch1763800200000,
  Retention1763840000000,
  Growth1763840100000,
  LongBacklogs1763850000000,
  FewerPasses1763860000000,
  WireFormat1763900100000,
  Simulators1763900200000,
  Operators1763900300000,
  FullerLists1763900400000,
  LimitsByMessage1763900500000,
  NoSecretsOfRemovedCarriers1763900600000,
];
