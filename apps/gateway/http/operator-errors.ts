/**
 * The error codes that only the operators' API has; it shares the others with the catalogue of the clients' API
 * (`error-catalogue.ts`). `/api/openapi.json` lists both. Codes are stable: the console and scripts switch on them.
 */
export const OPERATOR_ERRORS = {
  not_signed_in: {
    status: 401,
    title: 'Not signed in',
    doc: 'There is no session, or it has ended: sign in. Or the token is unknown, revoked or expired.',
  },
  role_missing: {
    status: 403,
    title: 'Role missing',
    doc: 'The role of the operator does not allow this; `roles` names those that do.',
  },
  cross_site: {
    status: 403,
    title: 'Cross-site request',
    doc: 'A browser says that another site makes this request. Changes are made from the console only.',
  },
  not_possible: {
    status: 409,
    title: 'Not possible',
    doc: 'The change contradicts what there is; `detail` says why. Nothing was changed.',
  },
} as const satisfies Record<string, OperatorErrorEntry>;

interface OperatorErrorEntry {
  readonly status: number;
  readonly title: string;
  readonly doc: string;
}

export type OperatorErrorCode = keyof typeof OPERATOR_ERRORS;

/** The `type` of the problem: the line of the API's document that explains the code. */
export function operatorProblemType(code: string): string {
  return `/api/openapi.json#/x-errors/${code}`;
}
