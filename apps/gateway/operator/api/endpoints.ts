import type { Endpoint } from './endpoint.js';
import { showMe } from './show-me.js';
import { showOverview } from './show-overview.js';

/** Every endpoint of the operators' API. */
export const ENDPOINTS: readonly Endpoint[] = [showMe, showOverview];
