import { Text } from '@mantine/core';
import type { Message } from '#client';
import { formatMoney, microsOf } from '../../shell/format-numbers.js';
import { formatDuration } from '../../shell/format-times.js';
import { RecentTime } from '../../shell/table/recent-time.js';
import { reasonWords } from '../parts/reason-words.js';
import { StatusBadge } from '../parts/status-badge.js';
import { t } from '../words.js';
import classes from './message-page.module.css';

/** Every status that the message has had, the first one above, with what it meant for the money. */
export function LifeLine({ message }: { readonly message: Message }) {
  const { history, price, amount, currency } = message;
  const start = Date.parse(history[0]?.at ?? message.createdAt);
  const money = (status: string, index: number): string => {
    if (index === 0) return t.message.charged(formatMoney(price, currency));
    const isGivenBack = (status === 'failed' || status === 'canceled') && amount < price;
    return isGivenBack ? t.message.givenBack(formatMoney(microsOf(price) - microsOf(amount), currency)) : '';
  };
  return (
    <ol className={classes.line}>
      {history.map(({ at, status, reason, carrierCode }, index) => {
        const details = [reason === null ? '' : reasonWords(reason, carrierCode), money(status, index)].filter(
          (part) => part !== '',
        );
        return (
          <li key={`${at} ${status}`} className={classes.step}>
            <div>
              <StatusBadge status={status} />
              {details.map((detail) => (
                <span key={detail} className={classes.detail}>
                  {detail}
                </span>
              ))}
            </div>
            <div className={classes.time}>
              <RecentTime at={at} />
              {index > 0 && (
                <Text size="xs" c="dimmed">
                  {t.message.later(formatDuration(Date.parse(at) - start))}
                </Text>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
