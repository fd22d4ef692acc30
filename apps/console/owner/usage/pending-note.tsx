import { Text } from '@mantine/core';
import type { Usage } from '#client';
import { formatTime } from '../../shell/format-times.js';
import { t } from '../words.js';

/** Says from when on the messages of an account that sends very many are not counted yet. */
export function PendingNote({ usage: { counted_until: until } }: { readonly usage: Usage }) {
  if (until === null) return null;
  return (
    <Text size="sm" c="dimmed">
      {t.usage.pending(formatTime(until))}
    </Text>
  );
}
