import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { formatMoney } from '../../shell/format-numbers.js';
import { useNotices } from '../../shell/frame/notices.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { RowMenu } from '../../shell/table/row-menu.js';
import { useAct } from '../parts/use-act.js';
import { LONG } from '../session/api.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import { type Account, accountPath } from './account.js';
import { BookMoney } from './book-money.js';
import { EditAccount } from './edit-account.js';
import { SuspendAccount } from './suspend-account.js';

type Asked = 'deposit' | 'adjust' | 'suspend' | 'resume' | 'close' | 'edit';

/** What an operator does with an account; only what the role allows is offered. */
export function AccountActs({ account }: { readonly account: Account }) {
  const { accountId, name, status } = account;
  const may = useMay();
  const notices = useNotices();
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const change = useAct<Account>({
    onDone: ({ status: now }) => {
      close();
      notices.done(now === 'closed' ? t.accounts.closed(name) : t.accounts.resumed(name));
    },
  });
  const isOpen = status !== 'closed';
  const offers = (useCase: string, isPossible = isOpen) => isPossible && may(useCase);
  return (
    <>
      <Group gap="xs">
        {offers('deposit') && <Button onClick={() => setAsked('deposit')}>{t.accounts.deposit}</Button>}
        {offers('adjust') && (
          <Button variant="default" onClick={() => setAsked('adjust')}>
            {t.accounts.adjust}
          </Button>
        )}
        {offers('account.set') && (
          <Button variant="default" onClick={() => setAsked('edit')}>
            {t.accounts.edit}
          </Button>
        )}
        {offers('account.suspend', status === 'active') && (
          <Button variant="default" onClick={() => setAsked('suspend')}>
            {t.accounts.suspend}
          </Button>
        )}
        {offers('account.resume', status === 'suspended') && (
          <Button variant="default" onClick={() => setAsked('resume')}>
            {t.accounts.resume}
          </Button>
        )}
        <RowMenu
          label={`${t.more}: ${name}`}
          acts={[
            {
              label: t.accounts.closeIt,
              onClick: () => setAsked('close'),
              isOffered: offers('account.close'),
              isDangerous: true,
            },
          ]}
        />
      </Group>
      {(asked === 'deposit' || asked === 'adjust') && <BookMoney account={account} kind={asked} onClose={close} />}
      {asked === 'edit' && <EditAccount account={account} onClose={close} />}
      {asked === 'suspend' && <SuspendAccount account={account} onClose={close} />}
      <ConfirmDialog
        isOpen={asked === 'resume'}
        title={t.accounts.resumeTitle(name)}
        act={t.accounts.resume}
        isBusy={change.isPending}
        onConfirm={() => change.mutate({ path: `${accountPath(accountId)}/resume`, ...LONG })}
        onClose={close}
      >
        {t.accounts.resumeAbout}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === 'close'}
        title={t.accounts.closeTitle(name)}
        act={t.accounts.closeIt}
        isDangerous
        isBusy={change.isPending}
        onConfirm={() => change.mutate({ path: `${accountPath(accountId)}/close`, ...LONG })}
        onClose={close}
      >
        {t.accounts.closeAbout(formatMoney(account.creditRemaining, account.currency))}
      </ConfirmDialog>
    </>
  );
}
