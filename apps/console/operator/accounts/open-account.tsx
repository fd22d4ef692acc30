import { SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { ShownOnce } from '../../shell/states/shown-once.js';
import { FormDialog } from '../parts/form-dialog.js';
import { useAct } from '../parts/use-act.js';
import { t } from '../words.js';
import { type Account, accountPath } from './account.js';

/** Opens an account, and shows its first key once. */
export function OpenAccount({ onClose }: { readonly onClose: () => void }) {
  const [, go] = useLocation();
  const [name, setName] = useState('');
  const [currency, setCurrency] = useState('EUR');
  const [tariff, setTariff] = useState('');
  const [creditLimit, setCreditLimit] = useState('');
  const open = useAct<Account & { readonly apiKey: string }>({ isQuiet: true });
  if (open.data !== undefined) {
    const { accountId, apiKey } = open.data;
    return (
      <ShownOnce
        title={t.accounts.first}
        secret={apiKey}
        onClose={() => {
          onClose();
          go(accountPath(accountId));
        }}
      />
    );
  }
  return (
    <FormDialog
      isOpen
      title={t.accounts.add}
      act={t.accounts.openIt}
      isBusy={open.isPending}
      isReady={name.trim() !== '' && /^[A-Za-z]{3}$/.test(currency)}
      error={open.error}
      labels={{
        name: t.accounts.name,
        currency: t.accounts.currency,
        tariff: t.accounts.tariff,
        creditLimit: t.accounts.creditLimit,
      }}
      onSubmit={() =>
        open.mutate({
          path: '/accounts',
          body: {
            name: name.trim(),
            currency: currency.toUpperCase(),
            ...(tariff.trim() !== '' && { tariff: tariff.trim() }),
            ...(creditLimit.trim() !== '' && { creditLimit: creditLimit.trim() }),
          },
        })
      }
      onClose={onClose}
    >
      <TextInput
        label={t.accounts.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
        data-autofocus
        required
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={t.accounts.currency}
          description={t.accounts.currencyHint}
          value={currency}
          onChange={(event) => setCurrency(event.currentTarget.value)}
          maxLength={3}
          required
        />
        <TextInput
          label={t.accounts.creditLimit}
          description={t.accounts.emptyIsNone}
          value={creditLimit}
          onChange={(event) => setCreditLimit(event.currentTarget.value)}
          inputMode="decimal"
        />
      </SimpleGrid>
      <TextInput
        label={t.accounts.tariff}
        placeholder={`default-${currency.toLowerCase()}`}
        value={tariff}
        onChange={(event) => setTariff(event.currentTarget.value)}
        spellCheck={false}
      />
    </FormDialog>
  );
}
