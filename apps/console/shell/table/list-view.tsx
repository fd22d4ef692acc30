import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { QueryView } from '../states/query-view.js';
import { DataTable, type DataTableProps } from './data-table.js';
import { CursorPager, Pager, type Pagination, type Place } from './pager.js';

/** A page of a list, as the APIs answer it: that of owners counts the rows, that of operators does not. */
type Listed<Row> = { readonly data: readonly Row[] } & (
  | { readonly next: string | null }
  | { readonly pagination: Pagination }
);

interface ListViewProps<Row> extends Omit<DataTableProps<Row>, 'rows'> {
  readonly query: UseQueryResult<Listed<Row>>;
  readonly loading?: ReactNode;
  /** Names of filters whose faults stand at them. */
  readonly fields?: readonly string[];
  readonly place: Place;
  readonly onMove: (place: Place) => void;
}

/** A list while it loads, its rows, and the way to the next ones. */
export function ListView<Row>({ query, loading, fields = [], place, onMove, ...table }: ListViewProps<Row>) {
  return (
    <QueryView query={query} loading={loading} fields={fields}>
      {(list) => {
        const moves = { place, shown: list.data.length, isBefore: query.isPlaceholderData, onMove };
        return (
          <>
            <DataTable {...table} rows={list.data} />
            {'pagination' in list ? (
              <Pager {...moves} pagination={list.pagination} />
            ) : (
              <CursorPager {...moves} next={list.next} />
            )}
          </>
        );
      }}
    </QueryView>
  );
}
