import { Modal } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ShownOnce } from '../../shell/states/shown-once.js';
import { useFocusBack } from '../../shell/states/use-focus-back.js';

interface MakeSecretProps<Made> {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly form: (onMade: (made: Made) => void) => ReactNode;
  readonly secretOf: (made: Made) => string;
  readonly words: { readonly made: string; readonly about?: string; readonly copy: string };
}

/** A dialog with a form, and then another one with the secret that was made. */
export function MakeSecret<Made>({ isOpen, onClose, title, form, secretOf, words }: MakeSecretProps<Made>) {
  const [made, setMade] = useState<Made>();
  useFocusBack(isOpen);
  const close = () => {
    setMade(undefined);
    onClose();
  };
  if (made !== undefined) {
    const { made: madeTitle, copy, ...about } = words;
    return <ShownOnce title={madeTitle} {...about} what={copy} secret={secretOf(made)} onClose={close} />;
  }
  return (
    <Modal opened={isOpen} onClose={close} title={title}>
      {form(setMade)}
    </Modal>
  );
}
