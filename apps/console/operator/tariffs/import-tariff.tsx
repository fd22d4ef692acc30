import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { MOMENT } from '../../shell/date-fields.js';
import { zone } from '../../shell/locale.js';
import { usePolled } from '../parts/use-polled.js';
import { t } from '../words.js';
import { ReviewPrices } from './review-prices.js';
import { type Tariff, tariffPath } from './tariff.js';

interface ImportTariffProps {
  /** Whose prices are replaced; undefined: a new one is made. */
  readonly tariff?: Tariff;
  readonly onClose: () => void;
}

/**
 * Reads a price list from a file, and imports it after a look at what it changes: at once, or for a planned time.
 */
export function ImportTariff({ tariff, onClose }: ImportTariffProps) {
  const [, go] = useLocation();
  const [name, setName] = useState(tariff?.name ?? '');
  const [currency, setCurrency] = useState(tariff?.currency ?? 'EUR');
  const [csv, setCsv] = useState('');
  const [begin, setBegin] = useState('');
  const [basedOn, setBasedOn] = useState(tariff?.basedOn ?? '');
  const validFrom = momentOf(begin);
  return (
    <ReviewPrices
      title={tariff === undefined ? t.tariffs.add : t.tariffs.replaceTitle(tariff.name)}
      name={name.trim()}
      currency={currency.trim().toUpperCase()}
      csv={csv}
      {...(validFrom !== undefined && { validFrom })}
      {...(basedOn !== '' && { basedOn })}
      isReady={name.trim() !== '' && /^[A-Za-z]{3}$/.test(currency.trim()) && csv !== ''}
      onDone={() => tariff === undefined && go(tariffPath(name.trim()))}
      onClose={onClose}
    >
      {tariff === undefined && (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label={t.tariffs.name}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            maxLength={64}
            spellCheck={false}
            data-autofocus
            required
          />
          <TextInput
            label={t.tariffs.currency}
            value={currency}
            onChange={(event) => setCurrency(event.currentTarget.value)}
            maxLength={3}
            required
          />
        </SimpleGrid>
      )}
      <TextInput
        type="file"
        label={t.tariffs.file}
        description={t.tariffs.fileHint}
        accept=".csv,text/csv,text/plain"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          setCsv('');
          void file?.text().then(setCsv);
        }}
        required
      />
      {tariff === undefined && (
        <BaseChoice currency={currency.trim().toUpperCase()} value={basedOn} onChange={setBasedOn} />
      )}
      <TextInput
        {...MOMENT}
        label={t.tariffs.begin}
        description={t.tariffs.beginHint(zone)}
        value={begin}
        onChange={(event) => setBegin(event.currentTarget.value)}
        maw={240}
      />
    </ReviewPrices>
  );
}

interface BaseChoiceProps {
  readonly currency: string;
  readonly value: string;
  readonly onChange: (name: string) => void;
}

/** The price lists that a new one may be based on: those of its currency that are not based on another one. */
function BaseChoice({ currency, value, onChange }: BaseChoiceProps) {
  const tariffs = usePolled<readonly Tariff[]>('/tariffs');
  const names = (tariffs.data ?? []).filter((one) => one.currency === currency && one.basedOn === null);
  return (
    <NativeSelect
      label={t.tariffs.basedOn}
      description={t.tariffs.basedOnHint}
      data={[{ value: '', label: t.tariffs.basedOnNone }, ...names.map(({ name }) => name)]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** A field of the browser has a local time; undefined: nothing was chosen. */
function momentOf(local: string): string | undefined {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
