import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { formatMoney, formatPercent } from '../../shell/format-numbers.js';
import { formatTime } from '../../shell/format-times.js';
import { useNotices } from '../../shell/frame/notices.js';
import { Icon } from '../../shell/icons.js';
import { FaultText } from '../../shell/states/fault-text.js';
import { markFirstField } from '../../shell/states/form-dialog.js';
import { closeOf } from '../../shell/states/stays-open.js';
import { useFocusBack } from '../../shell/states/use-focus-back.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { StateWord } from '../parts/state-word.js';
import { useAct } from '../parts/use-act.js';
import { t } from '../words.js';
import { type Change, type Difference, tariffPath } from './tariff.js';

const CHANGES_MAX = 100;
const TONES = { added: 'good', removed: 'bad', changed: 'warn' } as const;

interface ReviewPricesProps {
  readonly title: string;
  readonly name: string;
  readonly currency: string;
  /** All prices that the list has afterwards. */
  readonly csv: string;
  /** When the prices begin; left out: now. */
  readonly validFrom?: string;
  /** The list whose prices hold for other prefixes; left out: it stays as it is. */
  readonly basedOn?: string;
  readonly isReady: boolean;
  readonly onDone?: () => void;
  readonly onClose: () => void;
  /** The fields that decide about the prices. */
  readonly children: ReactNode;
}

/** What the service is asked to do, and what the look is of. */
interface Wish {
  readonly currency: string;
  readonly csv: string;
  readonly validFrom: string | undefined;
  readonly basedOn: string | undefined;
}

/** Changes prices in two steps: what is wished, and then what that changes. Sends are priced by it within seconds. */
export function ReviewPrices(props: ReviewPricesProps) {
  const { title, name, currency, csv, validFrom, basedOn, isReady, onDone, onClose, children } = props;
  const notices = useNotices();
  useFocusBack();
  const [looked, setLooked] = useState<{ readonly of: Wish; readonly difference: Difference }>();
  const preview = useAct<Difference>({ isQuiet: true });
  const apply = useAct<unknown>({
    isQuiet: true,
    onDone: () => {
      notices.done(validFrom === undefined ? t.tariffs.done(name) : t.tariffs.planned(name, formatTime(validFrom)));
      onClose();
      onDone?.();
    },
  });
  const wish: Wish = { currency, csv, validFrom, basedOn };
  const look = () =>
    preview.mutate(
      { path: `${tariffPath(name)}/preview`, body: wish },
      { onSuccess: (difference) => setLooked({ of: wish, difference }) },
    );
  // Typed while the answer was on its way, or another operator has changed another price of the list.
  const isOutdated = looked !== undefined && isOther(looked.of, wish);
  const looksAgain = isOutdated && preview.isSuccess && apply.isIdle;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each answer that is of other prices.
  useEffect(() => {
    if (looksAgain) look();
  }, [looksAgain]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isReady) return;
    if (looked === undefined) look();
    else {
      const { revision } = looked.difference;
      apply.mutate({ path: tariffPath(name), method: 'PUT', body: { ...wish, revision } });
    }
  };
  const changeIt = () => {
    preview.reset();
    apply.reset();
    setLooked(undefined);
  };
  const isEqual =
    looked !== undefined && looked.difference.added + looked.difference.removed + looked.difference.changed === 0;
  return (
    <Modal opened onClose={closeOf(apply.isPending, onClose)} title={title} size={looked === undefined ? 'md' : 'lg'}>
      <form onSubmit={submit} ref={markFirstField}>
        <Stack gap="md">
          {looked === undefined ? children : <Changes difference={looked.difference} currency={currency} />}
          {looked !== undefined && validFrom !== undefined && (
            <Text size="sm">{t.tariffs.beginsAt(formatTime(validFrom))}</Text>
          )}
          <FaultText error={preview.error ?? apply.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={looked === undefined ? onClose : changeIt} disabled={apply.isPending}>
              {looked === undefined ? t.cancel : t.tariffs.back}
            </Button>
            {/* Another button in the second step, so that a double click on the first one changes nothing. */}
            <Button
              key={String(looked === undefined)}
              type="submit"
              loading={preview.isPending || apply.isPending}
              disabled={!isReady || isEqual || isOutdated}
            >
              {looked === undefined ? t.tariffs.look : validFrom === undefined ? t.tariffs.apply : t.tariffs.plan}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function isOther(one: Wish, other: Wish): boolean {
  const names = ['currency', 'csv', 'validFrom', 'basedOn'] as const;
  return names.some((name) => one[name] !== other[name]);
}

function Changes({ difference, currency }: { readonly difference: Difference; readonly currency: string }) {
  const { added, removed, changed, unchanged, changes } = difference;
  const money = (price: string | null) => (price === null ? '–' : formatMoney(price, currency));
  const columns: readonly Column<Change>[] = [
    { key: 'prefix', head: t.tariffs.prefix, cell: ({ prefix }) => <span className="number">{prefix}</span> },
    {
      key: 'change',
      head: t.tariffs.what,
      cell: ({ change }) => <StateWord tone={TONES[change]} word={t.tariffs.changes[change]} />,
    },
    { key: 'country', head: t.tariffs.country, isMain: true, wideOnly: true, cell: ({ country }) => country ?? '–' },
    { key: 'old', head: t.tariffs.before, isMoney: true, cell: ({ oldPrice }) => money(oldPrice) },
    { key: 'new', head: t.tariffs.after, isMoney: true, cell: ({ price }) => money(price) },
    { key: 'share', head: t.tariffs.difference, isNumber: true, wideOnly: true, cell: shareOf },
  ];
  return (
    <Stack gap="sm">
      <Text size="sm" fw={600} role="status">
        {t.tariffs.counts(added, removed, changed, unchanged)}
      </Text>
      {removed > 0 && (
        <Alert color="red" variant="light" icon={<Icon name="warning" />}>
          {t.tariffs.removedNote}
        </Alert>
      )}
      <DataTable
        label={t.tariffs.difference}
        columns={columns}
        rows={changes.slice(0, CHANGES_MAX)}
        keyOf={({ prefix }) => prefix}
        empty={null}
      />
      {changes.length > CHANGES_MAX && (
        <Text size="sm" c="dimmed">
          {t.tariffs.moreChanges(changes.length - CHANGES_MAX)}
        </Text>
      )}
    </Stack>
  );
}

/** By how much a price rises or falls. */
function shareOf({ oldPrice, price }: Change): string {
  if (oldPrice === null || price === null || Number(oldPrice) === 0) return '';
  const share = Number(price) / Number(oldPrice) - 1;
  return `${share > 0 ? '+' : ''}${formatPercent(share)}`;
}
