import { useState } from 'react';

interface Changed {
  readonly currentTarget: { readonly value: string };
}

/** The fields of a form, all of them text, and which of them differ from what was there before. */
export function useFields<Fields extends Readonly<Record<string, string>>>(before: Fields) {
  // What stands there while the form is open does not change what was typed.
  const [first] = useState(before);
  const [fields, setFields] = useState(before);
  const names = Object.keys(first) as (keyof Fields & string)[];
  const isChanged = (name: keyof Fields & string) => fields[name]?.trim() !== first[name];
  return {
    fields,
    isChanged,
    hasChanges: names.some(isChanged),
    /** For an input. */
    field: (name: keyof Fields & string, label: string, description?: string) => ({
      label,
      description,
      value: fields[name],
      onChange: (event: Changed) => setFields({ ...fields, [name]: event.currentTarget.value }),
    }),
  };
}
