import { Text } from '@mantine/core';
import { ApiError } from '../api/api-error.js';
import type { RefusalContext } from '../api/refusal.js';
import { RefusalText } from './refusal-text.js';

interface FaultTextProps extends RefusalContext {
  /** Nothing is shown of undefined and null, nor that the session was over: it is not, once somebody can read it. */
  readonly error: unknown;
}

/** Why something was refused, read out at once. */
export function FaultText({ error, ...context }: FaultTextProps) {
  const isShown = error !== undefined && error !== null && !(error instanceof ApiError && error.isOfSession);
  return (
    <div role="alert">
      {isShown && (
        <Text size="sm" c="var(--mantine-color-error)" component="div">
          <RefusalText error={error} {...context} />
        </Text>
      )}
    </div>
  );
}
