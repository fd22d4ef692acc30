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
  sign_in_failed: {
    status: 401,
    title: 'Sign-in failed',
    doc: 'The name, the password or the code is wrong. A one-time code can be used once.',
  },
  code_required: {
    status: 401,
    title: 'Code required',
    doc: 'The password is right. Send it once more, with a one-time code or a recovery code.',
  },
  role_missing: {
    status: 403,
    title: 'Role missing',
    doc: 'The role of the operator does not allow this; `roles` names those that do.',
  },
  person_required: {
    status: 403,
    title: 'Person required',
    doc: 'This is about the person who is signed in, so no token can do it.',
  },
  password_change_required: {
    status: 403,
    title: 'Password change required',
    doc: 'Somebody else chose the password. Choose another one by `PUT /api/me/password`.',
  },
  confirmation_required: {
    status: 403,
    title: 'Confirmation required',
    doc: 'Money, roles and holds ask for the second factor again after five minutes: `POST /api/session/confirm`. `by` says what to give, `code` or `password`.',
  },
  https_required: {
    status: 403,
    title: 'HTTPS required',
    doc: 'A browser keeps the cookie of a session only over HTTPS, or on this very machine.',
  },
  cross_site: {
    status: 403,
    title: 'Cross-site request',
    doc: 'A browser says that another site makes this request. Changes are made from the console only.',
  },
  unusual_adjustment: {
    status: 409,
    title: 'Unusual adjustment',
    doc: 'It is probably a mistake; `detail` says why. Nothing was booked. Send it again with `isMeant` if it is meant.',
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
