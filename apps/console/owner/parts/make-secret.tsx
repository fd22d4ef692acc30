import { Modal } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { SecretOnce } from './secret-once.js';

interface MakeSecretProps<Made> {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly form: (onMade: (made: Made) => void) => ReactNode;
  readonly secretOf: (made: Made) => string;
  readonly words: {
    readonly made: string;
    readonly about: string;
    readonly copy: string;
    readonly done: string;
  };
}

/** A dialog with a form, and then with the secret that was made: it is shown once, so a slip must not close it. */
export function MakeSecret<Made>({ isOpen, onClose, title, form, secretOf, words }: MakeSecretProps<Made>) {
  const [made, setMade] = useState<Made>();
  const close = () => {
    setMade(undefined);
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={made === undefined ? title : words.made}
      closeOnClickOutside={made === undefined}
      closeOnEscape={made === undefined}
    >
      {made === undefined ? (
        form(setMade)
      ) : (
        <SecretOnce about={words.about} secret={secretOf(made)} what={words.copy} done={words.done} onDone={close} />
      )}
    </Modal>
  );
}
