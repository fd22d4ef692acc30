import { NativeSelect, PasswordInput, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useNotices } from '../../shell/frame/notices.js';
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
  const [window, setWindow] = useState(String(carrier.window));
  const [tps, setTps] = useState(carrier.tps === null ? '' : String(carrier.tps));
  const [binds, setBinds] = useState(carrier.binds === null ? '' : String(carrier.binds));
  const [messageId, setMessageId] = useState(carrier.messageId);
  const [inDoubt, setInDoubt] = useState(carrier.inDoubt);
  const [url, setUrl] = useState(carrier.address);
  const [password, setPassword] = useState('');
  const change = useAct<CarrierChanged>({
    isQuiet: true,
    onDone: ({ notes }) => {
      onNotes(notes);
      notices.done(t.carriers.changed(name));
      onClose();
    },
  });
  const body = {
    ...(window !== String(carrier.window) && { window: Number(window) }),
    ...(tps !== (carrier.tps === null ? '' : String(carrier.tps)) && { tps: tps === '' ? null : Number(tps) }),
    ...(binds !== (carrier.binds === null ? '' : String(carrier.binds)) && {
      binds: binds === '' ? null : Number(binds),
    }),
    ...(messageId !== carrier.messageId && { messageId }),
    ...(inDoubt !== carrier.inDoubt && { inDoubt }),
    ...(url !== carrier.address && { url }),
    ...(password !== '' && { password }),
  };
  const whole = (text: string) => /^\d*$/.test(text);
  return (
    <FormDialog
      isOpen
      size="lg"
      title={t.carriers.editTitle(name)}
      about={t.carriers.editAbout}
      act={t.save}
      isBusy={change.isPending}
      isReady={Object.keys(body).length > 0 && window !== '' && [window, tps, binds].every(whole)}
      error={change.error}
      onSubmit={() => change.mutate({ path: pathOf(name), method: 'PATCH', body })}
      onClose={onClose}
    >
      <TextInput
        label={t.carriers.url}
        description={t.carriers.urlHint}
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        spellCheck={false}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={t.carriers.window}
          value={window}
          onChange={(event) => setWindow(event.currentTarget.value)}
          inputMode="numeric"
        />
        <TextInput
          label={t.carriers.tps}
          placeholder={t.carriers.unlimited}
          value={tps}
          onChange={(event) => setTps(event.currentTarget.value)}
          inputMode="numeric"
        />
        <TextInput
          label={t.carriers.bindCount}
          placeholder={t.carriers.each}
          value={binds}
          onChange={(event) => setBinds(event.currentTarget.value)}
          inputMode="numeric"
        />
        <PasswordInput
          label={t.carriers.password}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': t.session.showPassword }}
        />
        <NativeSelect
          label={t.carriers.messageId}
          data={['as-is', 'hex-dec', 'dec-hex']}
          value={messageId}
          onChange={(event) => setMessageId(event.currentTarget.value)}
        />
        <NativeSelect
          label={t.carriers.inDoubt}
          data={['resend', 'hold']}
          value={inDoubt}
          onChange={(event) => setInDoubt(event.currentTarget.value)}
        />
      </SimpleGrid>
    </FormDialog>
  );
}
