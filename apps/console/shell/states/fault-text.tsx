import { Text } from '@mantine/core';
import type { RefusalContext } from '../api/refusal.js';
import { RefusalText } from './refusal-text.js';

interface FaultTextProps extends RefusalContext {
  /** Nothing is shown of undefined and null. */
  readonly error: unknown;
}

/** Why something was refused, read out at once. */
export function FaultText({ error, ...context }: FaultTextProps) {
  return (
    <div role="alert">
      {error !== undefined && error !== null && (
        <Text size="sm" c="var(--mantine-color-error)" component="div">
          <RefusalText error={error} {...context} />
        </Text>
      )}
    </div>
  );
}
