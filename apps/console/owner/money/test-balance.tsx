import { Button, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { AccountSummary, Balance } from '#client';
import { formatMoney } from '../../shell/format-numbers.js';
import { useNotices } from '../../shell/frame/notices.js';
import { Panel } from '../../shell/frame/panel.js';
import { FormDialog } from '../../shell/states/form-dialog.js';
import { QueryView } from '../../shell/states/query-view.js';
import { useRead } from '../parts/use-api.js';
import { useSending } from '../parts/use-sending.js';
import { api } from '../session/api.js';
import { useSession } from '../session/use-session.js';
import { t } from '../words.js';

/** What test keys have to spend; in test mode only. */
export function TestBalancePanel() {
  const mayManage = useSession().scopes.includes('manage');
  // The head of the page shares the request.
  const account = useRead<AccountSummary>('/v1/account');
  const [isEditing, setIsEditing] = useState(false);
  const words = t.testBalance;
  return (
    <Panel
      title={words.title}
      actions={
        mayManage && (
          <Button size="xs" variant="default" disabled={account.data === undefined} onClick={() => setIsEditing(true)}>
            {words.set}
          </Button>
        )
      }
    >
      <QueryView query={account}>
        {({ creditRemaining, currency }) => (
          <>
            <Text size="sm">{words.now(formatMoney(creditRemaining, currency, { round: true }))}</Text>
            {isEditing && <BalanceForm currency={currency} onClose={() => setIsEditing(false)} />}
          </>
        )}
      </QueryView>
    </Panel>
  );
}

function BalanceForm({ currency, onClose }: { readonly currency: string; readonly onClose: () => void }) {
  const words = t.testBalance;
  const notices = useNotices();
  const [balance, setBalance] = useState('');
  const { isBusy, faults, send } = useSending(['balance']);
  const submit = () => {
    void send(async () => {
      const body = { balance: balance.trim() };
      const now = await api.request<Balance>('/v1/account/test-balance', { method: 'POST', body });
      notices.done(words.done(formatMoney(now.balance, now.currency, { round: true })));
      onClose();
    });
  };
  return (
    <FormDialog
      title={words.set}
      about={words.about}
      act={words.act}
      isBusy={isBusy}
      isReady={balance.trim() !== ''}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label={words.amount(currency)}
        description={words.hint}
        value={balance}
        onChange={(event) => setBalance(event.currentTarget.value)}
        // The API speaks of strings.
        error={faults.balance && words.noAmount}
        inputMode="decimal"
        autoComplete="off"
        required
        data-autofocus
      />
    </FormDialog>
  );
}
