import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useParams } from 'wouter';
import { formatCount, formatMoney } from '../../shell/format-numbers.js';
import { formatDay, formatTime } from '../../shell/format-times.js';
import { useNotices } from '../../shell/frame/notices.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { PANEL_SIDES, Panel } from '../../shell/frame/panel.js';
import { saveFile } from '../../shell/save-file.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { Facts } from '../parts/facts.js';
import { useAct } from '../parts/use-act.js';
import { usePolled } from '../parts/use-polled.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import { ImportTariff } from './import-tariff.js';
import { PlannedPrices } from './planned-prices.js';
import { SetPrice } from './set-price.js';
import { csvOf, type Rate, type TariffDetails, tariffPath } from './tariff.js';

/** More than the countries of the world; a list with all networks is searched. */
const ROWS_MAX = 300;

export default function TariffPage() {
  const { name = '' } = useParams<{ name: string }>();
  const tariff = usePolled<TariffDetails>(tariffPath(name));
  return (
    <>
      <PageHead title={name} about={t.tariffs.one} />
      <QueryView query={tariff}>{(data) => <Shown tariff={data} />}</QueryView>
    </>
  );
}

function Shown({ tariff }: { readonly tariff: TariffDetails }) {
  const { currency, isDefault, rateCount, basedOn, changesAt, createdAt } = tariff;
  return (
    <Stack gap="md">
      <TariffActs tariff={tariff} />
      <Panel>
        <Facts
          facts={[
            [t.tariffs.currency, currency],
            [t.tariffs.newAccounts, isDefault ? t.yes : t.no],
            [t.tariffs.prices, formatCount(rateCount)],
            [t.tariffs.basedOn, basedOn ?? undefined],
            [t.tariffs.changesAt, changesAt === null ? undefined : formatTime(changesAt)],
            [t.tariffs.made, formatDay(createdAt)],
          ]}
        />
      </Panel>
      <PlannedPrices tariff={tariff} />
      <Prices tariff={tariff} />
    </Stack>
  );
}

function TariffActs({ tariff }: { readonly tariff: TariffDetails }) {
  const { name, currency, isDefault, rates } = tariff;
  const may = useMay();
  const notices = useNotices();
  const [asked, setAsked] = useState<'import' | 'default'>();
  const close = () => setAsked(undefined);
  const makeDefault = useAct<TariffDetails>({
    onDone: () => {
      close();
      notices.done(t.tariffs.defaultDone(name, currency));
    },
  });
  return (
    <Group gap="xs">
      {may('tariff.import') && (
        <Button variant="default" onClick={() => setAsked('import')}>
          {t.tariffs.replace}
        </Button>
      )}
      {!isDefault && may('tariff.set-default') && (
        <Button variant="default" onClick={() => setAsked('default')}>
          {t.tariffs.makeDefault}
        </Button>
      )}
      <Button variant="default" onClick={() => saveFile(new Blob([csvOf(rates)], { type: 'text/csv' }), `${name}.csv`)}>
        {t.tariffs.download}
      </Button>
      {asked === 'import' && <ImportTariff tariff={tariff} onClose={close} />}
      <ConfirmDialog
        isOpen={asked === 'default'}
        title={t.tariffs.defaultTitle(name)}
        act={t.tariffs.makeDefault}
        isBusy={makeDefault.isPending}
        onConfirm={() => makeDefault.mutate({ path: `${tariffPath(name)}/set-default` })}
        onClose={close}
      >
        {t.tariffs.defaultAbout(currency)}
      </ConfirmDialog>
    </Group>
  );
}

function Prices({ tariff }: { readonly tariff: TariffDetails }) {
  const { currency, rates } = tariff;
  const may = useMay();
  const [search, setSearch] = useState('');
  const [edited, setEdited] = useState<Rate | 'new'>();
  const found = rates.filter((rate) => isFound(rate, search.trim()));
  const columns: readonly Column<Rate>[] = [
    { key: 'prefix', head: t.tariffs.prefix, cell: ({ prefix }) => <span className="number">{prefix}</span> },
    { key: 'country', head: t.tariffs.country, isMain: true, cell: ({ country }) => country ?? '–' },
    { key: 'price', head: t.tariffs.price, isMoney: true, cell: ({ price }) => formatMoney(price, currency) },
    {
      key: 'acts',
      head: t.actions,
      isHeadHidden: true,
      isNumber: true,
      cell: (rate) =>
        may('tariff.import') && (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={t.tariffs.changeOf(rate.prefix)}
            onClick={() => setEdited(rate)}
          >
            {t.tariffs.change}
          </Button>
        ),
    },
  ];
  return (
    <Panel
      title={t.tariffs.prices}
      flush
      actions={
        may('tariff.import') && (
          <Button size="xs" variant="default" onClick={() => setEdited('new')}>
            {t.tariffs.addPrice}
          </Button>
        )
      }
    >
      <TextInput
        label={t.tariffs.search}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        spellCheck={false}
        w="16rem"
        maw="100%"
        px={PANEL_SIDES}
        pb="sm"
      />
      <DataTable
        label={t.tariffs.prices}
        columns={columns}
        rows={found.slice(0, ROWS_MAX)}
        keyOf={({ prefix }) => prefix}
        empty={<EmptyState icon="search" title={t.tariffs.noPrice} />}
      />
      {found.length > ROWS_MAX && (
        <Text size="sm" c="dimmed" px={PANEL_SIDES} py="sm">
          {t.tariffs.more(found.length - ROWS_MAX)}
        </Text>
      )}
      {edited !== undefined && (
        <SetPrice tariff={tariff} {...(edited !== 'new' && { rate: edited })} onClose={() => setEdited(undefined)} />
      )}
    </Panel>
  );
}

/** A number finds the price that it has: its prefixes, and those that begin with it. */
function isFound({ prefix, country = '' }: Rate, search: string): boolean {
  const digits = search.replace(/^\+|^00/, '').replaceAll(/[\s.()-]/g, '');
  if (/^\d+$/.test(digits)) return prefix.startsWith(digits) || digits.startsWith(prefix);
  return country.toLowerCase().includes(search.toLowerCase());
}
