import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { formatCount } from '../../shell/format-numbers.js';
import { formatDay } from '../../shell/format-times.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { usePolled } from '../parts/use-polled.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import { FxPanel } from './fx-panel.js';
import { ImportTariff } from './import-tariff.js';
import { type Tariff, tariffPath } from './tariff.js';

const columns: readonly Column<Tariff>[] = [
  {
    key: 'name',
    head: t.tariffs.name,
    isMain: true,
    cell: ({ name, isDefault }) => (
      <>
        <Anchor component={Link} href={tariffPath(name)} size="sm" fw={600}>
          {name}
        </Anchor>
        {isDefault && (
          <Text component="span" size="xs" c="dimmed" ml={8}>
            {t.tariffs.isDefault}
          </Text>
        )}
      </>
    ),
  },
  { key: 'currency', head: t.tariffs.currency, cell: ({ currency }) => currency },
  { key: 'prices', head: t.tariffs.prices, isNumber: true, cell: ({ rateCount }) => formatCount(rateCount) },
  {
    key: 'made',
    head: t.tariffs.made,
    isNumber: true,
    wideOnly: true,
    cell: ({ createdAt }) => formatDay(createdAt),
  },
];

export default function TariffsPage() {
  const may = useMay();
  const tariffs = usePolled<readonly Tariff[]>('/tariffs');
  const [isImporting, setImporting] = useState(false);
  return (
    <>
      <PageHead
        title={t.tariffs.title}
        about={t.tariffs.about}
        actions={may('tariff.import') && <Button onClick={() => setImporting(true)}>{t.tariffs.add}</Button>}
      />
      <Stack gap="md">
        <Panel flush>
          <QueryView query={tariffs}>
            {(rows) => (
              <DataTable
                label={t.tariffs.title}
                columns={columns}
                rows={rows}
                keyOf={({ name }) => name}
                empty={
                  <EmptyState icon="tariffs" title={t.tariffs.none}>
                    {t.tariffs.noneAbout}
                  </EmptyState>
                }
              />
            )}
          </QueryView>
        </Panel>
        {may('fx.list') && <FxPanel />}
      </Stack>
      {isImporting && <ImportTariff onClose={() => setImporting(false)} />}
    </>
  );
}
