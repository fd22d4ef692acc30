import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatNumber } from '../../shell/format-numbers.js';
import { useNotices } from '../../shell/frame/notices.js';
import { Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { type Column } from '../../shell/table/data-table.js';
import { RecentTime } from '../../shell/table/recent-time.js';
import { RowMenu } from '../../shell/table/row-menu.js';
import { AccountLink } from '../parts/account-link.js';
import { FormDialog } from '../parts/form-dialog.js';
import { FoundTable } from '../parts/found-table.js';
import { useAct } from '../parts/use-act.js';
import { SLOW_MS, usePolled } from '../parts/use-polled.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';

interface Assignment {
  readonly number: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly createdAt: string;
}

const pathOf = (number: string) => `/numbers/${encodeURIComponent(number)}`;

/** The numbers that belong to accounts. */
export function NumberPanel() {
  const may = useMay();
  const [isAsked, setIsAsked] = useState(false);
  const numbers = usePolled<readonly Assignment[]>('/numbers', { everyMs: SLOW_MS });
  const notices = useNotices();
  const assign = useAct();
  const release = useAct();
  const end = ({ number, accountId }: Assignment) =>
    release.mutate(
      { path: pathOf(number), method: 'DELETE' },
      {
        onSuccess: () =>
          notices.done(t.inbound.released(formatNumber(number)), () =>
            assign.mutate({ path: pathOf(number), method: 'PUT', body: { accountId } }),
          ),
      },
    );
  const columns: readonly Column<Assignment>[] = [
    {
      key: 'number',
      head: t.inbound.number,
      isMain: true,
      cell: ({ number }) => <span className="number">{formatNumber(number)}</span>,
    },
    {
      key: 'account',
      head: t.inbound.account,
      cell: ({ accountId, accountName }) => <AccountLink accountId={accountId} name={accountName} />,
    },
    {
      key: 'since',
      head: t.inbound.since,
      wideOnly: true,
      cell: ({ createdAt }) => <RecentTime at={createdAt} />,
    },
    {
      key: 'acts',
      head: t.actions,
      isHeadHidden: true,
      cell: (assigned) => (
        <RowMenu
          label={`${t.more}: ${assigned.number}`}
          acts={[{ label: t.inbound.release, onClick: () => end(assigned), isOffered: may('number.release') }]}
        />
      ),
    },
  ];
  return (
    <Panel
      flush
      title={t.inbound.numbers}
      {...(may('number.assign') && {
        actions: (
          <Button size="compact-sm" variant="default" onClick={() => setIsAsked(true)}>
            {t.inbound.assignNumber}
          </Button>
        ),
      })}
    >
      <QueryView query={numbers}>
        {(rows) => (
          <FoundTable
            label={t.inbound.numbers}
            columns={columns}
            rows={rows}
            keyOf={({ number }) => number}
            textOf={({ number, accountId, accountName }) => `${formatNumber(number)} ${accountId} ${accountName}`}
            empty={<EmptyState icon="routes" title={t.inbound.noNumbers} />}
          />
        )}
      </QueryView>
      {isAsked && <AssignNumber onClose={() => setIsAsked(false)} />}
    </Panel>
  );
}

function AssignNumber({ onClose }: { readonly onClose: () => void }) {
  const [number, setNumber] = useState('');
  const [accountId, setAccountId] = useState('');
  const assign = useAct({ isQuiet: true, onDone: onClose });
  return (
    <FormDialog
      isOpen
      title={t.inbound.assignNumber}
      about={t.inbound.numberAbout}
      act={t.inbound.assignNumber}
      isBusy={assign.isPending}
      isReady={number.trim() !== '' && /^[1-9][0-9]*$/.test(accountId.trim())}
      error={assign.error}
      labels={{ number: t.inbound.number, accountId: t.inbound.account }}
      onSubmit={() =>
        assign.mutate({
          path: pathOf(number.trim()),
          method: 'PUT',
          body: { accountId: accountId.trim() },
        })
      }
      onClose={onClose}
    >
      <TextInput
        label={t.inbound.number}
        placeholder="+46701234567"
        value={number}
        onChange={(event) => setNumber(event.currentTarget.value)}
        data-autofocus
        required
      />
      <TextInput
        label={t.inbound.account}
        placeholder="1001"
        value={accountId}
        onChange={(event) => setAccountId(event.currentTarget.value)}
        inputMode="numeric"
        required
      />
    </FormDialog>
  );
}
