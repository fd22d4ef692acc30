import { Button, Group, Text } from '@mantine/core';
import { CopyButton } from '../../shell/states/copy-button.js';
import classes from './secret-once.module.css';

interface SecretOnceProps {
  readonly about: string;
  readonly secret: string;
  /** Names it for screen readers, e.g. "the key". */
  readonly what: string;
  readonly done: string;
  readonly onDone: () => void;
}

/** A secret that is shown once: it leaves the page when somebody says that it is kept. */
export function SecretOnce({ about, secret, what, done, onDone }: SecretOnceProps) {
  return (
    <>
      <Text size="sm" mb="sm">
        {about}
      </Text>
      <Group gap="xs" wrap="nowrap" className={classes.secret ?? ''}>
        <code>{secret}</code>
        <CopyButton text={secret} what={what} />
      </Group>
      <Group justify="flex-end" mt="lg">
        <Button onClick={onDone}>{done}</Button>
      </Group>
    </>
  );
}
