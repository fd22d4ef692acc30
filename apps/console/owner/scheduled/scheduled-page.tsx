import { Anchor, Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { CancelResult, MessageOrder, MessageOrderList } from '#client';
import { formatMoney } from '../../shell/format-numbers.js';
import { formatTime } from '../../shell/format-times.js';
import { useNotices } from '../../shell/frame/notices.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { UpdatedNote } from '../../shell/states/updated-note.js';
import { ListView } from '../../shell/table/list-view.js';
import { useAddress } from '../../shell/use-address.js';
import { useRead } from '../parts/use-api.js';
import { api } from '../session/api.js';
import { useSession } from '../session/use-session.js';
import { t } from '../words.js';

const ROWS = 25;
const EVERY_MS = 15_000;

export default function ScheduledPage() {
  const { place, moveTo } = useAddress([]);
  const { scopes } = useSession();
  const [asked, setAsked] = useState<MessageOrder>();
  const [isBusy, setIsBusy] = useState(false);
  const queries = useQueryClient();
  const notices = useNotices();
  const list = useRead<MessageOrderList>('/v1/account/messages', {
    query: { status: 'scheduled', limit: ROWS, cursor: place.cursor },
    everyMs: EVERY_MS,
  });
  const cancel = async (id: string) => {
    setIsBusy(true);
    try {
      const answer = await api.request<CancelResult>(`/v1/message/${id}/cancel`, { method: 'POST' });
      notices.done(t.message.canceled(formatMoney(answer.balanceReleased, answer.currency)));
    } catch (error) {
      notices.failed(error);
    }
    setIsBusy(false);
    setAsked(undefined);
    await queries.invalidateQueries();
  };
  const { columns: heads } = t.messages;
  return (
    <>
      <PageHead title={t.scheduled.title} about={t.scheduled.about} actions={<UpdatedNote query={list} />} />
      <Panel flush>
        <ListView
          query={list}
          label={t.scheduled.title}
          keyOf={(message) => message.message_uuid}
          empty={
            <EmptyState icon="scheduled" title={t.scheduled.none.title}>
              {t.scheduled.none.about}
            </EmptyState>
          }
          columns={[
            {
              key: 'sendAt',
              head: heads.sendAt,
              cell: ({ send_at: at }) => (at === null ? '–' : formatTime(at)),
            },
            {
              key: 'recipient',
              head: heads.recipient,
              cell: ({ recipient, message_uuid: id }) => (
                <Anchor component={Link} href={`/messages/${id}`} className="number">
                  {recipient}
                </Anchor>
              ),
            },
            { key: 'text', head: heads.text, isMain: true, wideOnly: true, cell: ({ message }) => message },
            {
              key: 'amount',
              head: heads.amount,
              isNumber: true,
              wideOnly: true,
              cell: ({ amount, currency }) => formatMoney(amount, currency),
            },
            ...(scopes.includes('send') ? [cancelColumn(setAsked)] : []),
          ]}
          place={place}
          onMove={moveTo}
        />
      </Panel>
      <ConfirmDialog
        isOpen={asked !== undefined}
        title={t.message.cancelTitle}
        act={t.message.cancel}
        isDangerous
        isBusy={isBusy}
        onConfirm={() => asked !== undefined && void cancel(asked.message_uuid)}
        onClose={() => setAsked(undefined)}
      >
        {asked !== undefined && t.message.cancelAbout(formatMoney(asked.amount, asked.currency))}
      </ConfirmDialog>
    </>
  );
}

function cancelColumn(onAsk: (message: MessageOrder) => void) {
  return {
    key: 'cancel',
    head: t.scheduled.cancel,
    isHeadHidden: true,
    isNumber: true,
    cell: (message: MessageOrder) => (
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        aria-label={t.scheduled.cancelOf(message.recipient)}
        onClick={() => onAsk(message)}
      >
        {t.scheduled.cancel}
      </Button>
    ),
  };
}
