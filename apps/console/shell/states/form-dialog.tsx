import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { closeOf } from './stays-open.js';
import { useFocusBack } from './use-focus-back.js';

export interface FormDialogProps {
  readonly isOpen?: boolean;
  readonly title: string;
  readonly about?: ReactNode;
  /** Names the act. */
  readonly act: string;
  readonly isBusy: boolean;
  readonly isReady?: boolean;
  readonly isDangerous?: boolean;
  readonly size?: string;
  /** What was wrong that stands at no field. */
  readonly fault?: ReactNode;
  /** Names the button that does nothing; without it there is none. */
  readonly cancel?: string;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

// Of choices, the Tab key comes to the one that is chosen.
const FIRST_FIELD = ':is(input:not([type="radio"]:not(:checked)), textarea, select):enabled';

/** A form over the page, or only a question. While it is being sent it stays, and so does what was typed. */
export function FormDialog(props: FormDialogProps) {
  const { isOpen = true, title, about, act, isBusy, isReady = true, isDangerous = false, size = 'md' } = props;
  useFocusBack(isOpen);
  const close = closeOf(isBusy, props.onClose);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) props.onSubmit();
  };
  return (
    <Modal opened={isOpen} onClose={close} title={title} size={size}>
      <form onSubmit={submit} ref={markFirstField}>
        <Stack gap="md">
          {about !== undefined && (
            <Text size="sm" component="div">
              {about}
            </Text>
          )}
          {props.children}
          {props.fault}
          <Group justify="flex-end" gap="xs">
            {props.cancel !== undefined && (
              <Button variant="default" onClick={close} disabled={isBusy}>
                {props.cancel}
              </Button>
            )}
            <Button type="submit" loading={isBusy} disabled={!isReady} {...(isDangerous && { color: 'red' })}>
              {act}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Unless a form says where to begin, its first field has the focus, not the cross that closes it. */
export function markFirstField(form: HTMLFormElement | null): void {
  if (form === null || form.querySelector('[data-autofocus]') !== null) return;
  form.querySelector(FIRST_FIELD)?.setAttribute('data-autofocus', 'true');
}
