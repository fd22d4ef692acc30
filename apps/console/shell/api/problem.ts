import { words } from '../words.js';
import { ApiError, type ProblemFault } from './api-error.js';

interface ProblemBody {
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly requestId?: string;
  readonly errors?: readonly ProblemFault[];
}

/** The error that there is no answer. */
export const noAnswer = () => new ApiError(0, 'unreachable', 'No answer', words.refusal.codes.unreachable ?? '');

/** The error that the session was over. Whoever reads it behind the dialog for another one has signed in again. */
export const sessionOver = () => new ApiError(401, 'session_over', 'No session', words.refusal.sessionOver);

/** An error of the service (RFC 9457) as what the pages show; a proxy's own error page becomes one as well. */
export async function errorFrom(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as ProblemBody & Record<string, unknown>;
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(
    response.status,
    body.code ?? `http_${response.status}`,
    body.title ?? response.statusText,
    body.detail ?? words.refusal.status(response.status),
    body.errors ?? [],
    body.requestId ?? response.headers.get('x-request-id') ?? undefined,
    Number.isFinite(retryAfter) ? retryAfter : undefined,
    body,
  );
}
