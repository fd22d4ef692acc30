import type { Message, SegmentDetail } from '#client';
import { formatCount, formatMoney, microsOf } from '../../shell/format-numbers.js';
import { formatDuration } from '../../shell/format-times.js';
import { DataTable } from '../../shell/table/data-table.js';
import { StatusBadge } from '../parts/status-badge.js';
import { t } from '../words.js';

/** The segments of a message: each is sent, reported and charged by itself. */
export function SegmentTable({ message }: { readonly message: Message }) {
  const { segmentDetails, segments, price, currency } = message;
  const { columns: heads } = t.message;
  const each = formatMoney(microsOf(price) / BigInt(Math.max(1, segments)), currency);
  return (
    <DataTable<SegmentDetail>
      label={t.message.segments}
      rows={segmentDetails}
      keyOf={({ position }) => String(position)}
      empty={null}
      columns={[
        { key: 'position', head: heads.position, isNumber: true, cell: ({ position }) => formatCount(position) },
        { key: 'status', head: heads.status, cell: ({ status }) => <StatusBadge status={status} /> },
        {
          key: 'code',
          head: heads.code,
          cell: ({ carrierCode }) => (
            <span className="breaks" style={{ overflowWrap: 'anywhere' }}>
              {carrierCode ?? ''}
            </span>
          ),
        },
        { key: 'took', head: heads.took, isNumber: true, wideOnly: true, cell: tookText },
        { key: 'price', head: heads.price, isNumber: true, cell: () => each },
      ]}
    />
  );
}

function tookText({ sentAt, finalAt }: SegmentDetail): string {
  if (sentAt === null || finalAt === null) return '–';
  return formatDuration(Math.max(0, Date.parse(finalAt) - Date.parse(sentAt)));
}
