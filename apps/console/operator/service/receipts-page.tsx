import { NativeSelect, Text } from '@mantine/core';
import { PageHead } from '../../shell/frame/page-head.js';
import { PANEL_SIDES, Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { UpdatedNote } from '../../shell/states/updated-note.js';
import { type Column } from '../../shell/table/data-table.js';
import { ListView } from '../../shell/table/list-view.js';
import { RecentTime } from '../../shell/table/recent-time.js';
import { useAddress } from '../../shell/use-address.js';
import type { Carrier } from '../carriers/carrier.js';
import { PAGE_ROWS, type Page } from '../parts/page.js';
import { StateWord } from '../parts/state-word.js';
import { messageTone } from '../parts/tones.js';
import { SLOW_MS, usePolled } from '../parts/use-polled.js';
import { t } from '../words.js';

interface Receipt {
  readonly carrier: string | null;
  readonly carrierMessageId: string;
  readonly reference: number | null;
  readonly destination: string;
  readonly state: string;
  readonly code: string;
  readonly receivedAt: string;
}

const FILTERS = ['carrier'] as const;

const columns: readonly Column<Receipt>[] = [
  {
    key: 'at',
    head: t.receipts.received,
    cell: ({ receivedAt }) => <RecentTime at={receivedAt} />,
  },
  { key: 'carrier', head: t.receipts.carrier, wideOnly: true, cell: ({ carrier }) => carrier ?? '–' },
  {
    key: 'id',
    head: t.receipts.id,
    isMain: true,
    cell: ({ carrierMessageId }) => <span className="mono">{carrierMessageId}</span>,
  },
  {
    key: 'number',
    head: t.receipts.number,
    wideOnly: true,
    cell: ({ destination }) => <span className="number">{destination}</span>,
  },
  {
    key: 'state',
    head: t.receipts.says,
    cell: ({ state }) => <StateWord tone={messageTone(state)} word={t.messages.states[state] ?? state} />,
  },
  { key: 'code', head: t.receipts.code, wideOnly: true, cell: ({ code }) => <span className="mono">{code}</span> },
];

export default function ReceiptsPage() {
  const { values, change, place, moveTo } = useAddress(FILTERS);
  const carriers = usePolled<readonly Carrier[]>('/carriers');
  const receipts = usePolled<Page<Receipt>>('/receipts/unmatched', {
    everyMs: SLOW_MS,
    query: { ...values, limit: PAGE_ROWS, cursor: place.cursor },
  });
  return (
    <>
      <PageHead title={t.receipts.title} about={t.receipts.about} actions={<UpdatedNote query={receipts} />} />
      <Panel flush>
        <NativeSelect
          label={t.receipts.carrier}
          w="14rem"
          mx={PANEL_SIDES}
          mt="md"
          mb="xs"
          data={[
            { value: '', label: t.any },
            ...(carriers.data ?? []).map(({ name }) => ({ value: name, label: name })),
          ]}
          value={values.carrier}
          onChange={(event) => change({ carrier: event.currentTarget.value })}
        />
        <ListView
          query={receipts}
          label={t.receipts.title}
          columns={columns}
          keyOf={(receipt) => `${receipt.carrierMessageId} ${receipt.receivedAt} ${receipt.destination}`}
          empty={<EmptyState icon="check" title={values.carrier === '' ? t.receipts.none : t.receipts.noneFor} />}
          place={place}
          onMove={moveTo}
        />
      </Panel>
      <Text size="sm" c="dimmed" mt="md">
        {t.receipts.advice}
      </Text>
    </>
  );
}
