import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { FaultText } from '../../shell/states/fault-text.js';
import { closeOf } from '../../shell/states/stays-open.js';
import { useFocusBack } from '../../shell/states/use-focus-back.js';
import { t } from '../words.js';

interface FormDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly about?: ReactNode;
  /** Names the act. */
  readonly act: string;
  readonly isBusy: boolean;
  readonly isReady?: boolean;
  readonly isDangerous?: boolean;
  readonly error?: unknown;
  /** What the form calls the fields of the API. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly size?: string;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** A dialog with fields, or only with a question. What was typed stays when the service refuses it. */
export function FormDialog(props: FormDialogProps) {
  const {
    isOpen,
    title,
    about,
    act,
    isBusy,
    isReady = true,
    isDangerous = false,
    error,
    labels = {},
    size = 'md',
    children,
  } = props;
  useFocusBack(isOpen);
  const close = closeOf(isBusy, props.onClose);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) props.onSubmit();
  };
  return (
    <Modal opened={isOpen} onClose={close} title={title} size={size}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {about !== undefined && (
            <Text size="sm" component="div">
              {about}
            </Text>
          )}
          {children}
          <FaultText error={error} labels={labels} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close} disabled={isBusy}>
              {t.cancel}
            </Button>
            <Button type="submit" loading={isBusy} disabled={!isReady} {...(isDangerous && { color: 'red' })}>
              {act}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
