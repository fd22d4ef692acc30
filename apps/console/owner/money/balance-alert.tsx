import { Button, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { BalanceAlert } from '#client';
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

const PATH = '/v1/account/balance-alert';

/** From which balance on webhooks are told that it is low. */
export function BalanceAlertPanel() {
  const mayManage = useSession().scopes.includes('manage');
  const alert = useRead<BalanceAlert>(PATH);
  const [isEditing, setIsEditing] = useState(false);
  return (
    <Panel
      title={t.balanceAlert.title}
      actions={
        mayManage && (
          <Button size="xs" variant="default" disabled={alert.data === undefined} onClick={() => setIsEditing(true)}>
            {t.balanceAlert.change}
          </Button>
        )
      }
    >
      <QueryView query={alert}>
        {({ threshold, currency }) => (
          <>
            <Text size="sm">
              {threshold === null ? t.balanceAlert.off : t.balanceAlert.on(formatMoney(threshold, currency))}
            </Text>
            {isEditing && <AlertForm threshold={threshold} currency={currency} onClose={() => setIsEditing(false)} />}
          </>
        )}
      </QueryView>
    </Panel>
  );
}

function AlertForm({ threshold, currency, onClose }: BalanceAlert & { readonly onClose: () => void }) {
  const notices = useNotices();
  const [typed, setTyped] = useState(threshold === null ? '' : String(threshold));
  const { isBusy, faults, send } = useSending(['threshold']);
  const submit = () => {
    const wanted = typed.trim() === '' ? null : typed.trim();
    void send(async () => {
      await api.request<BalanceAlert>(PATH, { method: 'POST', body: { threshold: wanted } });
      notices.done(t.balanceAlert.done);
      onClose();
    });
  };
  return (
    <FormDialog
      title={t.balanceAlert.title}
      about={t.balanceAlert.about}
      act={t.balanceAlert.save}
      isBusy={isBusy}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label={t.balanceAlert.below(currency)}
        description={t.balanceAlert.hint}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        error={faults.threshold}
        inputMode="decimal"
        autoComplete="off"
        data-autofocus
      />
    </FormDialog>
  );
}
