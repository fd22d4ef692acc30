import { NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatNumber } from '../../shell/format-numbers.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { PANEL_SIDES, Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { UpdatedNote } from '../../shell/states/updated-note.js';
import { type Column } from '../../shell/table/data-table.js';
import { ListView } from '../../shell/table/list-view.js';
import { RecentTime } from '../../shell/table/recent-time.js';
import { RowMenu } from '../../shell/table/row-menu.js';
import { useAddress } from '../../shell/use-address.js';
import { AccountLink } from '../parts/account-link.js';
import { FormDialog } from '../parts/form-dialog.js';
import { PAGE_ROWS, type Page } from '../parts/page.js';
import { StateWord } from '../parts/state-word.js';
import { useAct } from '../parts/use-act.js';
import { SLOW_MS, usePolled } from '../parts/use-polled.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import { KeywordPanel } from './keyword-panel.js';
import { NumberPanel } from './number-panel.js';

interface Inbound {
  readonly inboundId: string;
  readonly receivedAt: string;
  readonly accountId: string | null;
  readonly accountName: string | null;
  readonly unassigned: 'unknown' | 'ambiguous' | null;
  readonly carrier: string | null;
  readonly sender: string;
  readonly recipient: string;
  readonly keyword: string | null;
}

const FILTERS = ['which'] as const;

/** Messages from handsets, and whose the numbers are. */
export default function InboundPage() {
  const may = useMay();
  const { values, change, place, moveTo } = useAddress(FILTERS);
  const [asked, setAsked] = useState<Inbound>();
  const messages = usePolled<Page<Inbound>>('/inbound', {
    everyMs: SLOW_MS,
    query: {
      ...(values.which === 'unassigned' && { unassigned: 'true' }),
      limit: PAGE_ROWS,
      cursor: place.cursor,
    },
  });
  const columns: readonly Column<Inbound>[] = [
    {
      key: 'at',
      head: t.inbound.received,
      cell: ({ receivedAt }) => <RecentTime at={receivedAt} />,
    },
    {
      key: 'sender',
      head: t.inbound.sender,
      cell: ({ sender }) => <span className="number">{formatNumber(sender)}</span>,
    },
    {
      key: 'recipient',
      head: t.inbound.recipient,
      isMain: true,
      wideOnly: true,
      cell: ({ recipient }) => <span className="number">{formatNumber(recipient)}</span>,
    },
    {
      key: 'account',
      head: t.inbound.account,
      cell: ({ accountId, accountName, unassigned }) =>
        accountId === null ? (
          <StateWord tone="warn" word={t.inbound.unassigned[unassigned ?? 'unknown']} />
        ) : (
          <AccountLink accountId={accountId} name={accountName ?? ''} />
        ),
    },
    { key: 'keyword', head: t.inbound.keyword, wideOnly: true, cell: ({ keyword }) => keyword ?? '–' },
    { key: 'carrier', head: t.inbound.carrier, wideOnly: true, cell: ({ carrier }) => carrier ?? '–' },
    {
      key: 'acts',
      head: t.actions,
      isHeadHidden: true,
      cell: (message) => (
        <RowMenu
          label={`${t.more}: ${message.sender}`}
          acts={[
            {
              label: t.inbound.assign,
              onClick: () => setAsked(message),
              isOffered: message.accountId === null && may('inbound.assign'),
            },
          ]}
        />
      ),
    },
  ];
  return (
    <>
      <PageHead title={t.inbound.title} about={t.inbound.about} actions={<UpdatedNote query={messages} />} />
      <Stack gap="md">
        <Panel flush>
          <NativeSelect
            label={t.inbound.which}
            w="14rem"
            mx={PANEL_SIDES}
            mt="md"
            mb="xs"
            data={[
              { value: '', label: t.inbound.all },
              { value: 'unassigned', label: t.inbound.onlyUnassigned },
            ]}
            value={values.which}
            onChange={(event) => change({ which: event.currentTarget.value })}
          />
          <ListView
            query={messages}
            label={t.inbound.title}
            columns={columns}
            keyOf={({ inboundId }) => inboundId}
            empty={<EmptyState icon="messages" title={t.inbound.none} />}
            place={place}
            onMove={moveTo}
          />
        </Panel>
        <NumberPanel />
        {may('keyword.list') && <KeywordPanel />}
      </Stack>
      {asked !== undefined && <AssignMessage message={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

/** Gives a message that is nobody's to an account. */
function AssignMessage({ message, onClose }: { readonly message: Inbound; readonly onClose: () => void }) {
  const [accountId, setAccountId] = useState('');
  const assign = useAct({ isQuiet: true, onDone: onClose });
  return (
    <FormDialog
      isOpen
      title={t.inbound.assign}
      about={<Text size="sm">{t.inbound.assignAbout(message.sender, message.recipient)}</Text>}
      act={t.inbound.assign}
      isBusy={assign.isPending}
      isReady={/^[1-9][0-9]*$/.test(accountId.trim())}
      error={assign.error}
      labels={{ accountId: t.inbound.account }}
      onSubmit={() =>
        assign.mutate({ path: `/inbound/${message.inboundId}/assign`, body: { accountId: accountId.trim() } })
      }
      onClose={onClose}
    >
      <TextInput
        label={t.inbound.account}
        placeholder="1001"
        value={accountId}
        onChange={(event) => setAccountId(event.currentTarget.value)}
        inputMode="numeric"
        data-autofocus
        required
      />
    </FormDialog>
  );
}
