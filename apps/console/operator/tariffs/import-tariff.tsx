import { SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { t } from '../words.js';
import { ReviewPrices } from './review-prices.js';
import { type Tariff, tariffPath } from './tariff.js';

interface ImportTariffProps {
  /** Whose prices are replaced; undefined: a new one is made. */
  readonly tariff?: Tariff;
  readonly onClose: () => void;
}

/** Reads a price list from a file, and imports it after a look at what it changes. */
export function ImportTariff({ tariff, onClose }: ImportTariffProps) {
  const [, go] = useLocation();
  const [name, setName] = useState(tariff?.name ?? '');
  const [currency, setCurrency] = useState(tariff?.currency ?? 'EUR');
  const [csv, setCsv] = useState('');
  return (
    <ReviewPrices
      title={tariff === undefined ? t.tariffs.add : t.tariffs.replaceTitle(tariff.name)}
      name={name.trim()}
      currency={currency.trim().toUpperCase()}
      csv={csv}
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
    </ReviewPrices>
  );
}
