import { Table, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';
import { ScrollBox } from './scroll-box.js';

export interface Column<Row> {
  readonly key: string;
  readonly head: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** For screen readers only, e.g. over a column of buttons. */
  readonly isHeadHidden?: boolean;
  /** Figures stand at the right, with digits of equal width. */
  readonly isNumber?: boolean;
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
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map((column) => (
                <Table.Td key={column.key} className={classOf(column)}>
                  {whole(column, column.cell(row))}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  );
}

/** A figure is one word: a browser would break it after its sign. */
function whole<Row>({ isNumber }: Column<Row>, cell: ReactNode): ReactNode {
  const isFigure = isNumber && typeof cell === 'string' && !cell.includes(' ');
  return isFigure ? <span className="number">{cell}</span> : cell;
}

function classOf<Row>({ isNumber, wideOnly, isMain, isProse }: Column<Row>): string {
  return [isNumber && classes.number, wideOnly && 'wide-only', isMain && classes.main, isProse && classes.prose]
    .filter(Boolean)
    .join(' ');
}
