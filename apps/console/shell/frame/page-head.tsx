import { Group, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

interface PageHeadProps {
  readonly title: string;
  /** One sentence. */
  readonly about?: ReactNode;
  /** Buttons, and when the page was updated. */
  readonly actions?: ReactNode;
}

/**
 * Whether a page was shown before: the first one does not take the focus, so that "skip to the content" comes first.
 */
let hadPage = false;

/** The head of a page. It names the tab, and after a change of the page a screen reader begins here. */
export function PageHead({ title, about, actions }: PageHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Heliograph`;
  }, [title]);
  useEffect(() => {
    if (hadPage) heading.current?.focus({ preventScroll: true });
    hadPage = true;
  }, []);
  return (
    <Group justify="space-between" align="flex-end" gap="sm" mb="lg">
      {/* A long sentence leaves the buttons beside it where there is room for both. */}
      <div style={about === undefined ? undefined : { flex: '1 1 20rem' }}>
        <Title order={1} ref={heading} tabIndex={-1} style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        {about !== undefined && (
          <Text c="dimmed" size="sm" mt={2}>
            {about}
          </Text>
        )}
      </div>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}
