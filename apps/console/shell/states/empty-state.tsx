import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../icons.js';

interface EmptyStateProps {
  readonly icon: IconName;
  readonly title: string;
  /** What would stand here, or how the first one is made. */
  readonly children?: ReactNode;
}

export function EmptyState({ icon, title, children }: EmptyStateProps) {
  return (
    <Stack align="center" gap={6} py={44} px="md" ta="center">
      <Text c="dimmed" component="span">
        <Icon name={icon} size={30} />
      </Text>
      <Text fw={600}>{title}</Text>
      {children !== undefined && (
        <Text component="div" c="dimmed" size="sm" maw="28rem">
          {children}
        </Text>
      )}
    </Stack>
  );
}
