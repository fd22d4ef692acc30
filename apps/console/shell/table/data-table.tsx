import { Table, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { decimalPoint } from '../format-numbers.js';
import classes from './data-table.module.css';
import { missingDecimals } from './missing-decimals.js';
import { ScrollBox } from './scroll-box.js';

export interface Column<Row> {
  readonly key: string;
  readonly head: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** For screen readers only, e.g. over a column of buttons. */
  readonly isHeadHidden?: boolean;
  /** Figures stand at the right, with digits of equal width. */
  readonly isNumber?: boolean;
  /** Figures whose decimal points stand below each other. */
  readonly isMoney?: boolean;
  /** Left out on a phone. */
  readonly wideOnly?: boolean;
  /** Takes what room is left, and is cut when there is too little. */
  readonly isMain?: boolean;
  /** Sentences, which may take several lines. */
  readonly isProse?: boolean;
}

export interface DataTableProps<Row> {
  /** What the table shows, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Shown in place of the table if there are no rows. */
  readonly empty: ReactNode;
}

export function DataTable<Row>({ label, columns, rows, keyOf, empty }: DataTableProps<Row>) {
  if (rows.length === 0) return empty;
  const cells = columns.map((column) => cellsOf(column, rows));
  return (
    <ScrollBox label={label}>
      <Table className={classes.table} verticalSpacing="xs" horizontalSpacing="md" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column.key} scope="col" className={classOf(column)}>
                {column.isHeadHidden ? <VisuallyHidden>{column.head}</VisuallyHidden> : column.head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, place) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map((column, index) => (
                <Table.Td key={column.key} className={classOf(column)}>
                  {cells[index]?.[place]}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  );
}

function cellsOf<Row>(column: Column<Row>, rows: readonly Row[]): readonly ReactNode[] {
  const cells = rows.map((row) => column.cell(row));
  if (column.isMoney) return aligned(cells.map(String));
  return column.isNumber ? cells.map(whole) : cells;
}

/** A figure is one word: a browser would break it after its sign. */
function whole(cell: ReactNode): ReactNode {
  const isFigure = typeof cell === 'string' && !cell.includes(' ');
  return isFigure ? <span className="number">{cell}</span> : cell;
}

/** The style sheet draws what is missing as room, so that nobody hears or copies it. */
function aligned(amounts: readonly string[]): readonly ReactNode[] {
  const parts = missingDecimals(amounts, decimalPoint);
  return amounts.map((amount, place) => {
    const { end = 0, missing = '' } = parts[place] ?? {};
    if (missing === '') return whole(amount);
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: each stands alone in its row.
      <span key={place} className="number">
        {amount.slice(0, end)}
        <span className={classes.missing} data-missing={missing} />
        {amount.slice(end)}
      </span>
    );
  });
}

function classOf<Row>({ isNumber, isMoney, wideOnly, isMain, isProse }: Column<Row>): string {
  return [
    (isNumber || isMoney) && classes.number,
    wideOnly && 'wide-only',
    isMain && classes.main,
    isProse && classes.prose,
  ]
    .filter(Boolean)
    .join(' ');
}
