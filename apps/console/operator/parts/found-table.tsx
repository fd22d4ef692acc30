import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { PANEL_SIDES } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { DataTable, type DataTableProps } from '../../shell/table/data-table.js';
import { t } from '../words.js';

/** A browser needs seconds for thousands of rows with menus, each time that the page is read again. */
const ROWS_MAX = 100;

interface FoundTableProps<Row> extends DataTableProps<Row> {
  /** What a search looks at. */
  readonly textOf: (row: Row) => string;
}

/** A list that the service answers as a whole. If it is long, its first rows are shown, and the others are searched. */
export function FoundTable<Row>({ rows, textOf, ...table }: FoundTableProps<Row>) {
  const [search, setSearch] = useState('');
  if (rows.length <= ROWS_MAX) return <DataTable {...table} rows={rows} />;
  const wanted = plain(search);
  const found = rows.filter((row) => plain(textOf(row)).includes(wanted));
  return (
    <>
      <TextInput
        type="search"
        label={t.search}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        spellCheck={false}
        w="18rem"
        maw="100%"
        px={PANEL_SIDES}
        py="sm"
      />
      <DataTable {...table} rows={found.slice(0, ROWS_MAX)} empty={<EmptyState icon="search" title={t.noneFits} />} />
      {found.length > ROWS_MAX && (
        <Text size="sm" c="dimmed" px={PANEL_SIDES} py="sm" role="status">
          {t.moreRows(found.length - ROWS_MAX)}
        </Text>
      )}
    </>
  );
}

/** Numbers are found however they are written. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll(/\s/g, '');
}
