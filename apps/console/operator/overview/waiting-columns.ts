import { formatCount } from '../../shell/format-numbers.js';
import { formatDuration } from '../../shell/format-times.js';
import type { Column } from '../../shell/table/data-table.js';
import { t } from '../words.js';
import type { Backlog } from './overview.js';

/** What waits, of a carrier or of an account. */
export const WAITING_COLUMNS: readonly Column<{ readonly waiting: Backlog }>[] = [
  { key: 'waiting', head: t.overview.waits, isNumber: true, cell: ({ waiting }) => formatCount(waiting.messages) },
  {
    key: 'oldest',
    head: t.overview.oldestHead,
    isNumber: true,
    wideOnly: true,
    cell: ({ waiting }) => (waiting.messages === 0 ? '–' : formatDuration(waiting.oldestSeconds * 1_000)),
  },
];
