import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { words } from '../words.js';
import { CopyButton } from './copy-button.js';
import classes from './shown-once.module.css';
import { useSecretShown } from './shown-secrets.js';
import { useFocusBack } from './use-focus-back.js';

interface ShownOnceProps {
  readonly isOpen?: boolean;
  readonly title: string;
  readonly about?: string;
  readonly secret: string;
  /** Names it for screen readers, e.g. "the key". */
  readonly what?: string;
  readonly onClose: () => void;
}

/** A secret that the service tells once. A slip must not close the dialog, so only its button does. */
export function ShownOnce({ isOpen = true, title, about, secret, what = title, onClose }: ShownOnceProps) {
  useFocusBack(isOpen);
  useSecretShown(isOpen);
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
        <Group gap="xs" wrap="nowrap" className={classes.secret ?? ''}>
          <code>{secret}</code>
          <CopyButton text={secret} what={what} />
        </Group>
        <Alert color="yellow" variant="light">
          {words.secret.copyNow}
        </Alert>
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {words.secret.done}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
