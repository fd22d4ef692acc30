import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { microsOf } from '../../shell/format-numbers.js';
import { t } from '../words.js';
import { ReviewPrices } from './review-prices.js';
import { csvOf, type Rate, type TariffDetails } from './tariff.js';

interface SetPriceProps {
  readonly tariff: TariffDetails;
  /** Undefined: a price for a new prefix. */
  readonly rate?: Rate;
  readonly onClose: () => void;
}

/** Changes one price of a list, or adds one. */
export function SetPrice({ tariff: { name, currency, rates }, rate, onClose }: SetPriceProps) {
  const [prefix, setPrefix] = useState(rate?.prefix ?? '');
  const [price, setPrice] = useState(rate?.price ?? '');
  const digits = prefix.trim().replace(/^\+/, '');
  const hasPrefix = /^[1-9]\d{0,14}$/.test(digits);
  const hasPrice = isPrice(price.trim());
  const others = rates.filter((one) => one.prefix !== digits);
  const country = rates.find((one) => one.prefix === digits)?.country;
  return (
    <ReviewPrices
      title={rate === undefined ? t.tariffs.addPrice : t.tariffs.changeOf(rate.prefix)}
      name={name}
      currency={currency}
      csv={csvOf([...others, { prefix: digits, price: price.trim(), ...(country !== undefined && { country }) }])}
      isReady={hasPrefix && hasPrice && price.trim() !== rate?.price}
      onClose={onClose}
    >
      {rate === undefined && (
        <TextInput
          label={t.tariffs.prefix}
          description={t.tariffs.prefixHint}
          value={prefix}
          onChange={(event) => setPrefix(event.currentTarget.value)}
          error={digits !== '' && !hasPrefix && t.tariffs.badPrefix}
          inputMode="tel"
          data-autofocus
          required
        />
      )}
      <TextInput
        label={t.tariffs.priceIn(currency)}
        value={price}
        onChange={(event) => setPrice(event.currentTarget.value)}
        error={price.trim() !== '' && !hasPrice && t.tariffs.badPrice}
        inputMode="decimal"
        autoComplete="off"
        required
        {...(rate !== undefined && { 'data-autofocus': true })}
      />
    </ReviewPrices>
  );
}

/** The service would read a decimal comma as the end of the price, and name a fault that nobody has made. */
function isPrice(text: string): boolean {
  try {
    return microsOf(text) >= 0n;
  } catch {
    return false;
  }
}
