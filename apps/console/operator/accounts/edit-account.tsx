import { SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNotices } from '../../shell/frame/notices.js';
import { useFields } from '../../shell/use-fields.js';
import { FormDialog } from '../parts/form-dialog.js';
import { numberOf } from '../parts/number-of.js';
import { act, queries } from '../session/api.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import { type Account, accountPath } from './account.js';

type Fields = ReturnType<typeof fieldsOf>;

/** Changes what is agreed with a client: tariff, limits and senders. */
export function EditAccount({ account, onClose }: { readonly account: Account; readonly onClose: () => void }) {
  const path = accountPath(account.accountId);
  const may = useMay();
  const notices = useNotices();
  const { fields, field, isChanged, hasChanges } = useFields(fieldsOf(account));
  const settings = settingsOf(fields, isChanged);
  // The limits have endpoints of their own, because other roles may set them; the settings come last.
  const save = useMutation({
    mutationFn: async () => {
      if (isChanged('creditLimit')) {
        await act(`${path}/credit-limit`, { method: 'PUT', body: { creditLimit: fields.creditLimit.trim() || '0' } });
      }
      if (isChanged('rateLimit')) {
        await act(`${path}/rate-limit`, { method: 'PUT', body: { rateLimitPerSecond: numberOf(fields.rateLimit) } });
      }
      if (Object.keys(settings).length > 0) await act(path, { method: 'PATCH', body: settings });
    },
    onSuccess: () => {
      notices.done(t.accounts.changed);
      onClose();
    },
    // A limit may be set although the settings were refused.
    onSettled: () => void queries.invalidateQueries(),
  });
  return (
    <FormDialog
      isOpen
      size="lg"
      title={t.accounts.edit}
      act={t.save}
      isBusy={save.isPending}
      isReady={hasChanges && fields.name.trim() !== ''}
      error={save.error}
      labels={{
        name: t.accounts.name,
        tariff: t.accounts.tariff,
        creditLimit: t.accounts.creditLimit,
        balanceAlert: t.accounts.balanceAlert,
        rateLimitPerSecond: t.accounts.rateLimit,
        maxInFlight: t.accounts.maxInFlight,
        sender: t.accounts.sender,
        allowedSenders: t.accounts.allowedSenders,
      }}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput {...field('name', t.accounts.name)} maxLength={100} required />
        <TextInput {...field('tariff', t.accounts.tariff)} spellCheck={false} required />
        {may('account.set-credit-limit') && (
          <TextInput {...field('creditLimit', t.accounts.creditLimit)} inputMode="decimal" />
        )}
        <TextInput
          {...field('balanceAlert', t.accounts.balanceAlert, t.accounts.balanceAlertHint)}
          inputWrapperOrder={['label', 'input', 'description']}
          inputMode="decimal"
          placeholder={t.none}
        />
        {may('account.set-rate-limit') && (
          <TextInput
            {...field('rateLimit', t.accounts.rateLimit)}
            inputMode="numeric"
            placeholder={t.accounts.unlimited}
          />
        )}
        <TextInput
          {...field('maxInFlight', t.accounts.maxInFlight)}
          inputMode="numeric"
          placeholder={t.accounts.usualInFlight}
        />
        <TextInput {...field('sender', t.accounts.sender)} maxLength={16} placeholder={t.accounts.usualSender} />
      </SimpleGrid>
      <Textarea {...field('senders', t.accounts.allowedSenders, t.accounts.allowedHint)} rows={3} spellCheck={false} />
    </FormDialog>
  );
}

function fieldsOf(account: Account) {
  return {
    name: account.name,
    tariff: account.tariff,
    sender: account.sender ?? '',
    senders: account.allowedSenders.join('\n'),
    maxInFlight: account.maxInFlight === null ? '' : String(account.maxInFlight),
    balanceAlert: account.balanceAlert ?? '',
    rateLimit: account.rateLimitPerSecond === null ? '' : String(account.rateLimitPerSecond),
    creditLimit: account.creditLimit,
  };
}

function settingsOf(fields: Fields, isChanged: (name: keyof Fields) => boolean): Record<string, unknown> {
  const { name, tariff, sender, senders, maxInFlight, balanceAlert } = fields;
  return {
    ...(isChanged('name') && { name: name.trim() }),
    ...(isChanged('tariff') && { tariff: tariff.trim() }),
    ...(isChanged('sender') && { sender: sender.trim() || null }),
    ...(isChanged('senders') && {
      allowedSenders: senders
        .split('\n')
        .map((one) => one.trim())
        .filter(Boolean),
    }),
    ...(isChanged('maxInFlight') && { maxInFlight: numberOf(maxInFlight) }),
    ...(isChanged('balanceAlert') && { balanceAlert: balanceAlert.trim() || null }),
  };
}
