import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { formatMoney } from '../../shell/format-numbers.js';
import { formatTime } from '../../shell/format-times.js';
import { useNotices } from '../../shell/frame/notices.js';
import { PANEL_SIDES, Panel } from '../../shell/frame/panel.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { QueryView } from '../../shell/states/query-view.js';
import { DataTable } from '../../shell/table/data-table.js';
import { useAct } from '../parts/use-act.js';
import { usePolled } from '../parts/use-polled.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import { changesOf, type TariffDetails, tariffPath } from './tariff.js';

const ROWS_MAX = 100;

interface PlannedPricesProps {
  readonly tariff: TariffDetails;
}

/** What changes when the prices that are planned next begin, and taking them back; nothing if none are planned. */
export function PlannedPrices({ tariff }: PlannedPricesProps) {
  return tariff.changesAt === null ? null : <Plan tariff={tariff} at={tariff.changesAt} />;
}

function Plan({ tariff, at }: PlannedPricesProps & { readonly at: string }) {
  const { name } = tariff;
  const may = useMay();
  const notices = useNotices();
  const [isAsked, setIsAsked] = useState(false);
  const planned = usePolled<TariffDetails>(tariffPath(name), { query: { at } });
  const cancel = useAct<unknown>({
    onDone: () => {
      setIsAsked(false);
      notices.done(t.tariffs.canceled(name));
    },
  });
  return (
    <Panel
      title={t.tariffs.plannedPrices(formatTime(at))}
      flush
      actions={
        may('tariff.cancel') && (
          <Button size="xs" variant="default" onClick={() => setIsAsked(true)}>
            {t.tariffs.cancelPlan}
          </Button>
        )
      }
    >
      <QueryView query={planned}>
        {(then) => <Changes changes={changesOf(tariff.rates, then.rates)} currency={tariff.currency} at={at} />}
      </QueryView>
      <ConfirmDialog
        isOpen={isAsked}
        title={t.tariffs.cancelTitle(formatTime(at))}
        act={t.tariffs.cancelPlan}
        isBusy={cancel.isPending}
        onConfirm={() => cancel.mutate({ path: `${tariffPath(name)}/cancel`, body: { validFrom: at } })}
        onClose={() => setIsAsked(false)}
      >
        {t.tariffs.cancelAbout}
      </ConfirmDialog>
    </Panel>
  );
}

interface ChangesProps {
  readonly changes: ReturnType<typeof changesOf>;
  readonly currency: string;
  readonly at: string;
}

function Changes({ changes, currency, at }: ChangesProps) {
  const money = (price: string | null) => (price === null ? '–' : formatMoney(price, currency));
  return (
    <>
      <DataTable
        label={t.tariffs.plannedPrices(formatTime(at))}
        rows={changes.slice(0, ROWS_MAX)}
        keyOf={({ prefix }) => prefix}
        empty={
          <Text px={PANEL_SIDES} py="md">
            {t.tariffs.samePrices}
          </Text>
        }
        columns={[
          { key: 'prefix', head: t.tariffs.prefix, cell: ({ prefix }) => <span className="number">{prefix}</span> },
          { key: 'country', head: t.tariffs.country, isMain: true, cell: ({ country }) => country ?? '–' },
          { key: 'now', head: t.tariffs.before, isMoney: true, cell: ({ oldPrice }) => money(oldPrice) },
          { key: 'then', head: t.tariffs.after, isMoney: true, cell: ({ price }) => money(price) },
        ]}
      />
      {changes.length > ROWS_MAX && (
        <Text size="sm" c="dimmed" px={PANEL_SIDES} py="sm">
          {t.tariffs.moreChanges(changes.length - ROWS_MAX)}
        </Text>
      )}
    </>
  );
}
