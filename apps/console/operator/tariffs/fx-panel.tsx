import { Button, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatRecent } from '../../shell/format-times.js';
import { useNotices } from '../../shell/frame/notices.js';
import { Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { FormDialog } from '../parts/form-dialog.js';
import { useAct } from '../parts/use-act.js';
import { usePolled } from '../parts/use-polled.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';

interface FxRate {
  readonly from: string;
  readonly to: string;
  readonly rate: string;
  readonly setAt: string;
}

const columns: readonly Column<FxRate>[] = [
  { key: 'rate', head: t.fx.rate, isMain: true, cell: ({ from, to, rate }) => `1 ${from} = ${rate} ${to}` },
  { key: 'set', head: t.fx.set, isNumber: true, cell: ({ setAt }) => formatRecent(setAt) },
];

/** The rates at which deposits in another currency are booked. */
export function FxPanel() {
  const may = useMay();
  const rates = usePolled<readonly FxRate[]>('/fx-rates');
  const [isSetting, setSetting] = useState(false);
  return (
    <Panel
      title={t.fx.title}
      flush
      actions={
        may('fx.set') && (
          <Button size="xs" variant="default" onClick={() => setSetting(true)}>
            {t.fx.setOne}
          </Button>
        )
      }
    >
      <QueryView query={rates}>
        {(rows) => (
          <DataTable
            label={t.fx.title}
            columns={columns}
            rows={rows}
            keyOf={({ from, to }) => `${from} ${to}`}
            empty={
              <EmptyState icon="deposits" title={t.fx.none}>
                {t.fx.noneAbout}
              </EmptyState>
            }
          />
        )}
      </QueryView>
      {isSetting && <SetFx onClose={() => setSetting(false)} />}
    </Panel>
  );
}

function SetFx({ onClose }: { readonly onClose: () => void }) {
  const notices = useNotices();
  const [fields, setFields] = useState({ from: '', to: '', rate: '' });
  const set = useAct<FxRate>({
    isQuiet: true,
    onDone: ({ from, to, rate }) => {
      notices.done(t.fx.done(from, to, rate));
      onClose();
    },
  });
  const { from, to, rate } = fields;
  const field = (name: keyof typeof fields, label: string) => ({
    label,
    value: fields[name],
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      setFields({ ...fields, [name]: event.currentTarget.value.trim().toUpperCase() }),
    required: true,
  });
  return (
    <FormDialog
      isOpen
      title={t.fx.setOne}
      about={t.fx.about}
      act={t.save}
      isBusy={set.isPending}
      isReady={/^[A-Z]{3}$/.test(from) && /^[A-Z]{3}$/.test(to) && from !== to && rate !== ''}
      error={set.error}
      labels={{ from: t.fx.from, to: t.fx.to, rate: t.fx.rate }}
      onSubmit={() => set.mutate({ path: `/fx-rates/${from}/${to}`, method: 'PUT', body: { rate } })}
      onClose={onClose}
    >
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextInput {...field('from', t.fx.from)} maxLength={3} placeholder="USD" data-autofocus />
        <TextInput {...field('to', t.fx.to)} maxLength={3} placeholder="EUR" />
        <TextInput {...field('rate', t.fx.rate)} inputMode="decimal" placeholder="0.9215" />
      </SimpleGrid>
    </FormDialog>
  );
}
