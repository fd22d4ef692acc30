import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from '../../shell/states/copy-button.js';
import { t } from '../words.js';

interface ShownOnceProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly about?: ReactNode;
  readonly secret: string;
  readonly onClose: () => void;
}

/** A secret that the service tells once. The dialog closes only by its button. */
export function ShownOnce({ isOpen, title, about, secret, onClose }: ShownOnceProps) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack gap="md">
        {about !== undefined && <Text size="sm">{about}</Text>}
        <Group gap="xs" wrap="nowrap">
          <Code block style={{ flex: 1, overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
            {secret}
          </Code>
          <CopyButton text={secret} what={title} />
        </Group>
        <Alert color="yellow" variant="light">
          {t.kept}
        </Alert>
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {t.close}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
