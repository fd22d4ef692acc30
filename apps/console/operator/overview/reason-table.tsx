import { formatCount } from '../../shell/format-numbers.js';
import { Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { StateWord } from '../parts/state-word.js';
import { messageTone } from '../parts/tones.js';
import { t } from '../words.js';
import type { Overview, Reason } from './overview.js';

const SHOWN_MAX = 10;

export function ReasonTable({ overview: { reasons, carriers } }: { readonly overview: Overview }) {
  const names = new Map(carriers.map(({ carrierId, name }) => [carrierId, name]));
  const columns: readonly Column<Reason>[] = [
    { key: 'code', head: t.overview.reason, isMain: true, cell: ({ code }) => <span className="mono">{code}</span> },
    {
      key: 'event',
      head: t.overview.state,
      cell: ({ event }) => <StateWord tone={messageTone(event)} word={t.messages.states[event] ?? event} />,
    },
    {
      key: 'carrier',
      head: t.overview.carrier,
      wideOnly: true,
      // No carrier had the messages, or an operator has removed it since.
      cell: ({ carrierId }) => names.get(carrierId) ?? (carrierId === 0 ? '–' : t.overview.removedCarrier(carrierId)),
    },
    { key: 'messages', head: t.overview.messages, isNumber: true, cell: ({ messages }) => formatCount(messages) },
  ];
  return (
    <Panel title={t.overview.reasons} flush>
      <DataTable
        label={t.overview.reasons}
        columns={columns}
        rows={reasons.slice(0, SHOWN_MAX)}
        keyOf={({ carrierId, event, code }) => `${carrierId} ${event} ${code}`}
        empty={<EmptyState icon="check" title={t.overview.noReasons} />}
      />
    </Panel>
  );
}
