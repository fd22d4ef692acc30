import { type ReactNode, useState } from 'react';
import { ShownOnce } from '../../shell/states/shown-once.js';

interface MakeSecretProps<Made> {
  readonly onClose: () => void;
  /** The dialog that makes it. */
  readonly form: (onMade: (made: Made) => void) => ReactNode;
  readonly secretOf: (made: Made) => string;
  readonly words: { readonly made: string; readonly about?: string; readonly copy: string };
}

/** A dialog with a form, and then another one with the secret that was made. */
export function MakeSecret<Made>({ onClose, form, secretOf, words }: MakeSecretProps<Made>) {
  const [made, setMade] = useState<Made>();
  if (made === undefined) return form(setMade);
  const { made: title, copy, ...about } = words;
  return <ShownOnce title={title} {...about} what={copy} secret={secretOf(made)} onClose={onClose} />;
}
