import { Box } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import type { IconName } from '../../shell/icons.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { type Column } from '../../shell/table/data-table.js';
import { ListView } from '../../shell/table/list-view.js';
import { useAddress } from '../../shell/use-address.js';
import { ExportButton } from '../parts/export-button.js';
import { useRead } from '../parts/use-api.js';

/** What the API answers with a page of a list. */
interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly pagination: { readonly total: number; readonly next: string | null };
}

interface MoneyListProps<Row> {
  readonly path: string;
  /** Of the export. */
  readonly file: string;
  readonly pageRows: number;
  readonly icon: IconName;
  readonly words: {
    readonly title: string;
    readonly about: string;
    readonly none: { readonly title: string; readonly about: string };
  };
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** Over the list. */
  readonly children?: ReactNode;
}

/** A page with a list of bookings, newest first, which can be exported. */
export function MoneyList<Row>(props: MoneyListProps<Row>) {
  const { path, file, pageRows, icon, words, columns, keyOf, children } = props;
  const { place, moveTo } = useAddress([]);
  const list = useRead<ListPage<Row>>(path, { query: { limit: pageRows, cursor: place.cursor } });
  return (
    <>
      <PageHead
        title={words.title}
        about={words.about}
        actions={<ExportButton path={`${path}/export`} file={file} />}
      />
      {children !== undefined && <Box mb="md">{children}</Box>}
      <Panel flush>
        <ListView
          query={list}
          label={words.title}
          keyOf={keyOf}
          columns={columns}
          empty={
            <EmptyState icon={icon} title={words.none.title}>
              {words.none.about}
            </EmptyState>
          }
          place={place}
          onMove={moveTo}
        />
      </Panel>
    </>
  );
}
