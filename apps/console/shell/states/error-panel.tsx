import { Alert, Button, Group, Text } from '@mantine/core';
import { ApiError } from '../api/api-error.js';
import { Icon } from '../icons.js';
import { words } from '../words.js';
import { RefusalText } from './refusal-text.js';

interface ErrorPanelProps {
  readonly error: unknown;
  /** Older data stands below. */
  readonly isStale?: boolean;
  /** It is being asked for again. */
  readonly isBusy?: boolean;
  readonly onRetry?: () => void;
}

export function ErrorPanel({ error, isStale = false, isBusy = false, onRetry }: ErrorPanelProps) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <Alert
      color={isStale ? 'yellow' : 'red'}
      icon={<Icon name="warning" />}
      title={isStale ? words.error.stale : words.error.title}
      m="md"
      role="alert"
    >
      <Group justify="space-between" gap="sm">
        <div>
          <Text size="sm" component="div">
            <RefusalText error={error} />
          </Text>
          {requestId !== undefined && (
            <Text size="xs" c="dimmed">
              {words.error.request(requestId)}
            </Text>
          )}
        </div>
        {onRetry !== undefined && (
          <Button size="xs" variant="default" loading={isBusy} onClick={onRetry}>
            {words.error.retry}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
