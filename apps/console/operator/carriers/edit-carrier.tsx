import { NativeSelect, PasswordInput, SimpleGrid, TextInput } from '@mantine/core';
import { useNotices } from '../../shell/frame/notices.js';
import { useFields } from '../../shell/use-fields.js';
import { FormDialog } from '../parts/form-dialog.js';
import { useAct } from '../parts/use-act.js';
import { t } from '../words.js';
import { type Carrier, type CarrierChanged, pathOf } from './carrier.js';

interface EditCarrierProps {
  readonly carrier: Carrier;
  readonly onClose: () => void;
  readonly onNotes: (notes: readonly string[]) => void;
}

/** Changes the settings that operators change most; the others have smsctl. */
export function EditCarrier({ carrier, onClose, onNotes }: EditCarrierProps) {
  const { name } = carrier;
  const notices = useNotices();
  const { fields, field, isChanged, hasChanges } = useFields(fieldsOf(carrier));
  const change = useAct<CarrierChanged>({
    isQuiet: true,
    onDone: ({ notes }) => {
      onNotes(notes);
      notices.done(t.carriers.changed(name));
      onClose();
    },
  });
  const { window, tps, binds, messageId, inDoubt, url, password } = fields;
  const body = {
    ...(isChanged('window') && { window: Number(window) }),
    ...(isChanged('tps') && { tps: numberOf(tps) }),
    ...(isChanged('binds') && { binds: numberOf(binds) }),
    ...(isChanged('messageId') && { messageId }),
    ...(isChanged('inDoubt') && { inDoubt }),
    ...(isChanged('url') && { url }),
    ...(password !== '' && { password }),
  };
  const areNumbers = [window, tps, binds].every((text) => /^\d*$/.test(text.trim()));
  return (
    <FormDialog
      isOpen
      size="lg"
      title={t.carriers.editTitle(name)}
      about={t.carriers.editAbout}
      act={t.save}
      isBusy={change.isPending}
      isReady={hasChanges && window.trim() !== '' && areNumbers}
      error={change.error}
      labels={{
        url: t.carriers.url,
        window: t.carriers.window,
        tps: t.carriers.tps,
        binds: t.carriers.bindCount,
        password: t.carriers.password,
      }}
      onSubmit={() => change.mutate({ path: pathOf(name), method: 'PATCH', body })}
      onClose={onClose}
    >
      <TextInput {...field('url', t.carriers.url, t.carriers.urlHint)} spellCheck={false} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput {...field('window', t.carriers.window)} inputMode="numeric" />
        <TextInput {...field('tps', t.carriers.tps)} placeholder={t.carriers.unlimited} inputMode="numeric" />
        <TextInput {...field('binds', t.carriers.bindCount)} placeholder={t.carriers.each} inputMode="numeric" />
        <PasswordInput
          {...field('password', t.carriers.password)}
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': t.session.showPassword }}
        />
        <NativeSelect {...field('messageId', t.carriers.messageId)} data={['as-is', 'hex-dec', 'dec-hex']} />
        <NativeSelect {...field('inDoubt', t.carriers.inDoubt)} data={['resend', 'hold']} />
      </SimpleGrid>
    </FormDialog>
  );
}

function fieldsOf({ window, tps, binds, messageId, inDoubt, address }: Carrier) {
  return {
    window: String(window),
    tps: tps === null ? '' : String(tps),
    binds: binds === null ? '' : String(binds),
    messageId,
    inDoubt,
    url: address,
    password: '',
  };
}

const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text));
