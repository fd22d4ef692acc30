import { Text } from '@mantine/core';

/** Why something was refused, read out at once. */
export function FaultText({ error }: { readonly error: unknown }) {
  return (
    <div role="alert">
      {error !== undefined && error !== null && (
        <Text size="sm" c="var(--mantine-color-error)">
          {error instanceof Error ? error.message : String(error)}
        </Text>
      )}
    </div>
  );
}
