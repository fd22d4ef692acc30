/**
 * What an operator is for. `viewer` looks, `support` serves clients and carriers, `finance` books money, `admin` may do
 * everything. Which use case needs which role stands in the gateway (`apps/gateway/operator/api/access.ts`).
 */
export const OPERATOR_ROLES = ['viewer', 'support', 'finance', 'admin'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];
