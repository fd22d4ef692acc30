import { Button, Group, Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { words } from '../words.js';
import { closeOf } from './stays-open.js';
import { useFocusBack } from './use-focus-back.js';

interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  /** What it will do, with figures where money is concerned. */
  readonly children: ReactNode;
  /** Names the act, e.g. "Revoke the key". */
  readonly act: string;
  /** Beside an act that cancels something, "Cancel" would be a riddle. */
  readonly back?: string;
  readonly isDangerous?: boolean;
  /** It is being done: the dialog stays, because it tells what comes of it. */
  readonly isBusy?: boolean;
  /** False: what it takes is not there, e.g. a price. */
  readonly isReady?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    isOpen,
    title,
    children,
    act,
    back = words.confirm.cancel,
    isDangerous = false,
    isBusy = false,
    isReady = true,
    onConfirm,
  } = props;
  useFocusBack(isOpen);
  const close = closeOf(isBusy, props.onClose);
  return (
    <Modal.Root opened={isOpen} onClose={close} centered>
      <Modal.Overlay />
      <Modal.Content>
        {/* A header outside of all sections would be a second banner of the page. */}
        <Modal.Header role="presentation">
          <Modal.Title>{title}</Modal.Title>
          <Modal.CloseButton aria-label={words.close} />
        </Modal.Header>
        <Modal.Body>
          <Text component="div" size="sm">
            {children}
          </Text>
          <Group justify="flex-end" gap="xs" mt="lg">
            <Button variant="default" onClick={close} disabled={isBusy} data-autofocus>
              {back}
            </Button>
            <Button {...(isDangerous && { color: 'red' })} loading={isBusy} disabled={!isReady} onClick={onConfirm}>
              {act}
            </Button>
          </Group>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
