import { type FormEvent, type ReactNode, useEffect, useState } from 'react';

interface Changed {
  readonly currentTarget: { readonly value: string };
}

/**
 * What somebody types into the filters of a list, until the form is submitted: what counts is in the address
 * (`useAddress`), also when "back" changes it.
 *
 * @param faults what the service says of the fields (`fieldFaults`), by the names of the filters
 */
export function useTyped<Filters extends Readonly<Record<string, string>>>(
  values: Filters,
  onChange: (values: Filters) => void,
  faults: Readonly<Record<string, ReactNode>> = {},
) {
  const [typed, setTyped] = useState(values);
  useEffect(() => setTyped(values), [values]);
  const set = (name: keyof Filters, value: string): Filters => ({ ...typed, [name]: value });
  return {
    /** For a form. */
    submit: (event: FormEvent) => {
      event.preventDefault();
      onChange(trimmed(typed));
    },
    /** Empties all filters, also what was typed and does not count yet. */
    clear: () => {
      const none = Object.fromEntries(Object.keys(values).map((name) => [name, ''])) as Filters;
      setTyped(none);
      onChange(none);
    },
    /** For an input, which counts when the form is submitted. */
    text: (name: keyof Filters, label: string) => ({
      label,
      value: typed[name],
      error: faults[name as string],
      onChange: ({ currentTarget }: Changed) => setTyped(set(name, currentTarget.value)),
    }),
    /** For a choice, which counts at once. */
    choice: (name: keyof Filters, label: string) => ({
      label,
      value: typed[name],
      onChange: ({ currentTarget }: Changed) => onChange(trimmed(set(name, currentTarget.value))),
    }),
  };
}

/** Space around what was typed says nothing. */
function trimmed<Filters extends Readonly<Record<string, string>>>(typed: Filters): Filters {
  return Object.fromEntries(Object.entries(typed).map(([name, value]) => [name, value.trim()])) as Filters;
}
