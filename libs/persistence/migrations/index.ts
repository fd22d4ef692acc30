import { InitialSchema1763600000000 } from './1763600000000-initial-schema.js';
import { DispatchHold1763700200000 } from './1763700200000-dispatch-hold.js';

/** Every migration, oldest first. Forward only: a mistake is mended by the next one. */
export const MIGRATIONS = [InitialSchema1763600000000, DispatchHold1763700200000];
