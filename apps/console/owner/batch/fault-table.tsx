import { Alert, Text } from '@mantine/core';
import { formatCount } from '../../shell/format-numbers.js';
import { Icon } from '../../shell/icons.js';
import { DataTable } from '../../shell/table/data-table.js';
import { s } from '../sending/words.js';
import { groupFaults, type RowFault } from './check-rows.js';
import { faultName } from './fault-name.js';
import classes from './fault-table.module.css';
import { b } from './words.js';

const SHOWN_MAX = 15;
/** A text at fault may be long. */
const VALUE_MAX = 120;

/** The rows at fault, one kind at a time. */
export function FaultTable({ faults }: { readonly faults: readonly RowFault[] }) {
  const [group, ...others] = groupFaults(faults);
  if (group === undefined) return null;
  const shown = group.faults.slice(0, SHOWN_MAX);
  const rest = others.map(({ faults: more }) => `${faultName(more[0])} (${formatCount(more.length)})`);
  return (
    <div>
      <Alert
        color="red"
        icon={<Icon name="warning" />}
        title={b.check.faults(s.rows(faults.length, formatCount(faults.length)))}
        role="alert"
      >
        <Text size="sm">
          {faultName(group.faults[0])}: {s.rows(group.faults.length, formatCount(group.faults.length))}.{' '}
          {b.advice[group.kind]}
        </Text>
      </Alert>
      <div className={classes.table}>
        <DataTable
          label={faultName(group.faults[0])}
          columns={[
            { key: 'row', head: b.check.row, cell: ({ row }: RowFault) => formatCount(row), isNumber: true },
            { key: 'value', head: b.check.value, cell: ({ value }) => value.slice(0, VALUE_MAX) || '–', isMain: true },
          ]}
          rows={shown}
          keyOf={({ row }) => String(row)}
          empty={null}
        />
      </div>
      <Text size="sm" c="dimmed" mt={6}>
        {group.faults.length > shown.length &&
          b.check.shown(formatCount(shown.length), formatCount(group.faults.length))}{' '}
        {rest.length > 0 && b.check.next(rest.join('; '))}
      </Text>
    </div>
  );
}
