import { Button, Checkbox, Group, Modal, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../shell/api/api-error.js';
import { formatMoney, microsOf } from '../../shell/format-numbers.js';
import { useNotices } from '../../shell/frame/notices.js';
import { FaultText } from '../../shell/states/fault-text.js';
import { FigureText } from '../../shell/states/figure-text.js';
import { closeOf } from '../../shell/states/stays-open.js';
import { useFocusBack } from '../../shell/states/use-focus-back.js';
import { useAct } from '../parts/use-act.js';
import { t } from '../words.js';
import { type Account, accountPath, type Booking } from './account.js';
import classes from './book-money.module.css';

interface BookMoneyProps {
  readonly account: Account;
  readonly kind: 'deposit' | 'adjust';
  readonly onClose: () => void;
}

/** Books money in two steps: what is typed, and a second look that repeats it with the balance before and after. */
export function BookMoney({ account, kind, onClose }: BookMoneyProps) {
  const { accountId, currency: own } = account;
  const notices = useNotices();
  useFocusBack();
  const [amount, setAmount] = useState('');
  const [currency, setCurrency] = useState(own);
  const [words, setWords] = useState('');
  const [isLooking, setIsLooking] = useState(false);
  const [isMeant, setIsMeant] = useState(false);
  // A repeated click, or a retry after a lost answer, books nothing twice.
  const [requestKey] = useState(() => crypto.randomUUID());
  const book = useAct<Booking>({
    isQuiet: true,
    onDone: (booking) => {
      notices.done(
        booking.repeated
          ? t.accounts.repeated
          : t.accounts.booked(
              formatMoney(booking.amount, booking.currency, { sign: kind === 'adjust' }),
              formatMoney(booking.creditRemaining, booking.accountCurrency),
            ),
      );
      onClose();
    },
  });
  const fault = faultOf(amount, kind);
  const isReady =
    fault === undefined &&
    amount.trim() !== '' &&
    // A half-typed currency cannot be formatted.
    /^[A-Z]{3}$/.test(currency) &&
    (kind === 'deposit' || words.trim() !== '');
  const isUnusual = book.error instanceof ApiError && book.error.code === 'unusual_adjustment';
  // The answer may be lost on its way.
  const isUncertain = book.error instanceof ApiError && book.error.isPassing;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isReady) return;
    if (!isLooking) {
      setIsLooking(true);
      return;
    }
    const text = words.trim();
    book.mutate({
      path: `${accountPath(accountId)}/${kind === 'deposit' ? 'deposits' : 'adjustments'}`,
      headers: { 'idempotency-key': requestKey },
      body:
        kind === 'deposit'
          ? { amount: amount.trim(), currency, ...(text !== '' && { reference: text }) }
          : { amount: amount.trim(), reason: text, ...(isMeant && { isMeant }) },
    });
  };
  const changeIt = () => {
    // What was refused is about to be written anew.
    book.reset();
    setIsMeant(false);
    setIsLooking(false);
  };
  const close = closeOf(book.isPending, onClose);
  const shown = isReady ? formatMoney(amount.trim(), currency, { sign: kind === 'adjust' }) : '';
  return (
    <Modal opened onClose={close} title={kind === 'deposit' ? t.accounts.deposit : t.accounts.adjust}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {isLooking ? (
            <SecondLook
              account={account}
              amount={amount.trim()}
              currency={currency}
              words={words.trim()}
              kind={kind}
              hasBalance={!isUncertain}
            />
          ) : (
            <>
              <SimpleGrid cols={{ base: 1, xs: kind === 'deposit' ? 2 : 1 }}>
                <TextInput
                  label={t.accounts.amount}
                  description={kind === 'deposit' ? t.accounts.amountHint(currency) : t.accounts.adjustHint(own)}
                  value={amount}
                  onChange={(event) => setAmount(event.currentTarget.value)}
                  error={fault}
                  inputMode="decimal"
                  autoComplete="off"
                  // Also when somebody comes back to it from the second look.
                  autoFocus
                  data-autofocus
                  required
                />
                {kind === 'deposit' && (
                  <TextInput
                    label={t.accounts.currency}
                    description={currency === own ? t.accounts.currencyHint : t.accounts.convert(currency, own)}
                    value={currency}
                    onChange={(event) => setCurrency(event.currentTarget.value.toUpperCase())}
                    maxLength={3}
                    required
                  />
                )}
              </SimpleGrid>
              <TextInput
                label={kind === 'deposit' ? t.accounts.reference : t.accounts.reason}
                description={kind === 'deposit' ? t.accounts.referenceHint : t.accounts.reasonHint}
                value={words}
                onChange={(event) => setWords(event.currentTarget.value)}
                required={kind === 'adjust'}
                maxLength={255}
              />
            </>
          )}
          <FaultText
            error={book.error}
            labels={{
              amount: t.accounts.amount,
              currency: t.accounts.currency,
              reference: t.accounts.reference,
              reason: t.accounts.reason,
            }}
          />
          {isUncertain && <Text size="sm">{t.accounts.again}</Text>}
          {isUnusual && (
            <Checkbox
              label={t.accounts.unusual}
              checked={isMeant}
              onChange={(event) => setIsMeant(event.currentTarget.checked)}
            />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={isLooking ? changeIt : onClose} disabled={book.isPending}>
              {isLooking ? t.accounts.back : t.cancel}
            </Button>
            {/* Another button in the second step, so that a double click on the first one books nothing. */}
            <Button
              key={String(isLooking)}
              type="submit"
              loading={book.isPending}
              disabled={!isReady || (isUnusual && !isMeant)}
            >
              {!isLooking
                ? t.accounts.look
                : kind === 'deposit'
                  ? t.accounts.bookDeposit(shown)
                  : t.accounts.bookAdjustment(shown)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface SecondLookProps {
  readonly account: Account;
  readonly amount: string;
  readonly currency: string;
  readonly words: string;
  readonly kind: 'deposit' | 'adjust';
  /** False if the balance may have the amount already. */
  readonly hasBalance: boolean;
}

function SecondLook({ account, amount, currency, words, kind, hasBalance }: SecondLookProps) {
  const { name, accountId, currency: own, creditRemaining } = account;
  const look = useRef<HTMLDListElement>(null);
  // The field that had the focus is gone; what is to be read again has it now.
  useEffect(() => look.current?.focus(), []);
  const after = currency === own ? microsOf(creditRemaining) + microsOf(amount) : undefined;
  const lines: (readonly [string, string])[] = [
    [t.accounts.toAccount, `${name} (${accountId})`],
    [t.accounts.amount, `${formatMoney(amount, currency, { sign: kind === 'adjust' })} (${currency})`],
    ...(words === ''
      ? []
      : [[kind === 'deposit' ? t.accounts.reference : t.accounts.reason, words] as readonly [string, string]]),
    ...(hasBalance ? [[t.accounts.before, formatMoney(creditRemaining, own)] as const] : []),
    ...(after === undefined ? [[t.accounts.conversion, t.accounts.convert(currency, own)] as const] : []),
    ...(after !== undefined && hasBalance ? [[t.accounts.after, formatMoney(after, own)] as const] : []),
  ];
  return (
    <>
      <dl className={classes.look} ref={look} tabIndex={-1}>
        {lines.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <FigureText>{value}</FigureText>
            </dd>
          </div>
        ))}
      </dl>
      {after !== undefined && hasBalance && (
        <Text size="xs" c="dimmed">
          {t.accounts.afterNote}
        </Text>
      )}
    </>
  );
}

function faultOf(amount: string, kind: 'deposit' | 'adjust'): string | undefined {
  if (amount.trim() === '') return undefined;
  try {
    const micros = microsOf(amount.trim());
    if (micros === 0n) return t.accounts.zero;
    return kind === 'deposit' && micros < 0n ? t.accounts.notBelow : undefined;
  } catch {
    return t.accounts.badAmount;
  }
}
