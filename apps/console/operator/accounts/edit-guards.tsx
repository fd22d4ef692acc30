import { SimpleGrid, TextInput } from '@mantine/core';
import type { GuardSettings } from '#billing';
import { useNotices } from '../../shell/frame/notices.js';
import { useFields } from '../../shell/use-fields.js';
import { FormDialog } from '../parts/form-dialog.js';
import { numberOf } from '../parts/number-of.js';
import { useAct } from '../parts/use-act.js';
import { t } from '../words.js';
import type { Guards } from './account.js';

const NAMES = [
  'countries',
  'priceMax',
  'spendDayMax',
  'spendMonthMax',
  'recipientHourMax',
  'rangeHourMax',
  'rangeDigits',
  'rampDays',
  'rampSpendDay',
] as const satisfies readonly (keyof GuardSettings)[];
type Name = (typeof NAMES)[number];
const WHOLE: readonly Name[] = ['recipientHourMax', 'rangeHourMax', 'rangeDigits', 'rampDays'];
const MONEY: readonly Name[] = ['priceMax', 'spendDayMax', 'spendMonthMax', 'rampSpendDay'];
/** In a field: the account has no such guard, whatever holds for all. */
const OFF = 'off';

interface EditGuardsProps {
  readonly guards: Guards;
  /** Of the account. */
  readonly currency: string;
  readonly onClose: () => void;
}

/** Changes the guards of an account. An empty field is left to the guards for all. */
export function EditGuards({ guards, currency, onClose }: EditGuardsProps) {
  const notices = useNotices();
  const { accountId, own, forAll } = guards;
  const { fields, field, isChanged, hasChanges } = useFields(fieldsOf(own));
  const changed = NAMES.filter(isChanged);
  const path = `/guards/${accountId}`;
  const done = () => {
    notices.done(t.accounts.guards.changed);
    onClose();
  };
  const emptied = changed.filter((name) => fields[name].trim() === '');
  const clear = useAct<Guards>({ isQuiet: true, onDone: done });
  const save = useAct<Guards>({
    isQuiet: true,
    onDone: () => {
      if (emptied.length === 0) done();
      else clear.mutate({ path, method: 'DELETE', query: { guards: emptied.join(',') } });
    },
  });
  const body = Object.fromEntries(
    changed.filter((name) => fields[name].trim() !== '').map((name) => [name, sentOf(name, fields[name].trim())]),
  );
  return (
    <FormDialog
      isOpen
      size="lg"
      title={t.accounts.guards.edit}
      about={t.accounts.guards.about}
      act={t.save}
      isBusy={save.isPending || clear.isPending}
      isReady={hasChanges}
      error={save.error ?? clear.error}
      labels={Object.fromEntries(NAMES.map((name) => [name, labelOf(name, currency)]))}
      onSubmit={() => save.mutate({ path, method: 'PATCH', body })}
      onClose={onClose}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {NAMES.map((name) => (
          <TextInput
            key={name}
            {...field(name, labelOf(name, currency))}
            placeholder={textOf(forAll[name]) || t.none}
            spellCheck={false}
          />
        ))}
      </SimpleGrid>
    </FormDialog>
  );
}

function labelOf(name: Name, currency: string): string {
  const label = t.accounts.guards.names[name];
  return MONEY.includes(name) ? `${label}, ${currency}` : label;
}

function fieldsOf(own: GuardSettings): Record<Name, string> {
  return Object.fromEntries(NAMES.map((name) => [name, own[name] === null ? OFF : textOf(own[name])])) as Record<
    Name,
    string
  >;
}

function textOf(value: GuardSettings[Name]): string {
  if (value == null) return '';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

function sentOf(name: Name, text: string): unknown {
  // Phones begin a word with a capital letter.
  if (text.toLowerCase() === OFF) return null;
  if (name === 'countries') return text.split(/[\s,]+/);
  return WHOLE.includes(name) ? numberOf(text) : text;
}
