import { ActionIcon, Group, Text, Tooltip } from '@mantine/core';
import { useDocumentVisibility } from '@mantine/hooks';
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { formatAgo } from '../format-times.js';
import { Icon } from '../icons.js';
import { words } from '../words.js';

const JUST_NOW_MS = 2_000;

/** "Updated 3 s ago", and a button that asks now. */
export function UpdatedNote({
  query,
}: {
  readonly query: Pick<UseQueryResult, 'dataUpdatedAt' | 'refetch' | 'isFetching'>;
}) {
  const nowMs = useNow();
  const { dataUpdatedAt } = query;
  const text =
    dataUpdatedAt === 0
      ? ''
      : nowMs - dataUpdatedAt < JUST_NOW_MS
        ? words.updated.now
        : words.updated.ago(formatAgo(dataUpdatedAt, nowMs));
  return (
    <Group gap={4} wrap="nowrap">
      <Text size="xs" c="dimmed" className="number">
        {text}
      </Text>
      <Tooltip label={words.updated.refresh}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={words.updated.refresh}
          onClick={() => void query.refetch()}
        >
          <Icon name="refresh" size={16} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

/** The time, each second while somebody looks. */
export function useNow(everyMs = 1_000): number {
  const [nowMs, setNowMs] = useState(Date.now);
  const visibility = useDocumentVisibility();
  useEffect(() => {
    if (visibility === 'hidden') return;
    setNowMs(Date.now());
    const timer = setInterval(() => setNowMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [visibility, everyMs]);
  return nowMs;
}
