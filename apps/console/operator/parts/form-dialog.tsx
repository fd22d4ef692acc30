import { FaultText } from '../../shell/states/fault-text.js';
import { FormDialog as Dialog, type FormDialogProps as DialogProps } from '../../shell/states/form-dialog.js';
import { t } from '../words.js';

interface FormDialogProps extends Omit<DialogProps, 'fault' | 'cancel'> {
  readonly isOpen: boolean;
  readonly error?: unknown;
  /** What the form calls the fields of the API. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** A dialog with fields, or only with a question, which says what the service refuses. */
export function FormDialog({ error, labels = {}, ...dialog }: FormDialogProps) {
  return <Dialog {...dialog} fault={<FaultText error={error} labels={labels} />} cancel={t.cancel} />;
}
