import { Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import { useNotices } from '../../shell/frame/notices.js';
import { FormDialog } from '../parts/form-dialog.js';
import { useAct } from '../parts/use-act.js';
import { LONG } from '../session/api.js';
import { t } from '../words.js';
import { type Account, accountPath } from './account.js';

/** Suspends an account, and decides about its queued messages. */
export function SuspendAccount({ account, onClose }: { readonly account: Account; readonly onClose: () => void }) {
  const { accountId, name } = account;
  const notices = useNotices();
  const [queued, setQueued] = useState('send');
  const suspend = useAct<{ readonly refunded: number }>({
    isQuiet: true,
    onDone: ({ refunded }) => {
      const refunds = refunded > 0 ? ` ${t.accounts.refunded(refunded)}` : '';
      notices.done(`${t.accounts.suspended(name)}${refunds}`);
      onClose();
    },
  });
  return (
    <FormDialog
      isOpen
      title={t.accounts.suspendTitle(name)}
      act={t.accounts.suspend}
      isDangerous
      isBusy={suspend.isPending}
      error={suspend.error}
      onSubmit={() => suspend.mutate({ path: `${accountPath(accountId)}/suspend`, body: { queued }, ...LONG })}
      onClose={onClose}
    >
      <Radio.Group label={t.accounts.suspendAbout} value={queued} onChange={setQueued}>
        <Stack gap="sm" mt="sm">
          {Object.entries(t.accounts.queued).map(([value, [label, about]]) => (
            <Radio key={value} value={value} label={label} description={about} />
          ))}
        </Stack>
      </Radio.Group>
    </FormDialog>
  );
}
