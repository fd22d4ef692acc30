import { Alert } from '@mantine/core';
import { Icon } from '../../shell/icons.js';
import { t } from '../words.js';

/** What a change means for messages, a sentence each. */
export function Notes({ notes, onClose }: { readonly notes: readonly string[]; readonly onClose?: () => void }) {
  if (notes.length === 0) return null;
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<Icon name="warning" />}
      title={t.notes}
      role="status"
      {...(onClose !== undefined && { withCloseButton: true, onClose, closeButtonLabel: t.close })}
    >
      {notes.map((note) => (
        <div key={note}>{note}</div>
      ))}
    </Alert>
  );
}
