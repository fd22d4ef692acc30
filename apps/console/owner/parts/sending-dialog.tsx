import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { closeOf } from '../../shell/states/stays-open.js';
import { useFocusBack } from '../../shell/states/use-focus-back.js';

interface SendingDialogProps {
  readonly title: string;
  readonly about?: string;
  /** Names the act. */
  readonly act: string;
  readonly isBusy: boolean;
  readonly isReady?: boolean;
  readonly isDangerous?: boolean;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A form over the page. While it is being sent it stays, because a fault stands at its field. */
export function SendingDialog(props: SendingDialogProps) {
  const { title, about, act, isBusy, isReady = true, isDangerous = false, onSubmit, onClose, children } = props;
  useFocusBack();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Modal opened onClose={closeOf(isBusy, onClose)} title={title}>
      <form onSubmit={submit}>
        <Stack>
          {about !== undefined && <Text size="sm">{about}</Text>}
          {children}
          <Group justify="flex-end">
            <Button type="submit" loading={isBusy} disabled={!isReady} {...(isDangerous && { color: 'red' })}>
              {act}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
