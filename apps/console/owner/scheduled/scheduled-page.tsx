import { Button } from '@mantine/core';
import { useState } from 'react';
import type { MessageOrder, MessageOrderList } from '#client';
import { formatMoney } from '../../shell/format-numbers.js';
import { formatTime } from '../../shell/format-times.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { UpdatedNote } from '../../shell/states/updated-note.js';
import { ListView } from '../../shell/table/list-view.js';
import { useAddress } from '../../shell/use-address.js';
import { CancelMessage } from '../messages/cancel-message.js';
import { RecipientCell, textOf } from '../parts/recipient-cell.js';
import { useRead } from '../parts/use-api.js';
import { useSession } from '../session/use-session.js';
import { t } from '../words.js';

const ROWS = 25;
const EVERY_MS = 15_000;

export default function ScheduledPage() {
  const { place, moveTo } = useAddress([]);
  const { scopes } = useSession();
  const [asked, setAsked] = useState<MessageOrder>();
  const list = useRead<MessageOrderList>('/v1/account/messages', {
    query: { status: 'scheduled', limit: ROWS, cursor: place.cursor },
    everyMs: EVERY_MS,
  });
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
            { key: 'recipient', head: heads.recipient, cell: RecipientCell },
            { key: 'text', head: heads.text, isMain: true, wideOnly: true, cell: textOf },
            {
              key: 'amount',
              head: heads.amount,
              isMoney: true,
              wideOnly: true,
              cell: ({ amount, currency }) => formatMoney(amount, currency),
            },
            ...(scopes.includes('send') ? [cancelColumn(setAsked)] : []),
          ]}
          place={place}
          onMove={moveTo}
        />
      </Panel>
      <CancelMessage message={asked && { id: asked.message_uuid, ...asked }} onClose={() => setAsked(undefined)} />
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
