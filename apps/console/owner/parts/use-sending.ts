import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useNotices } from '../../shell/frame/notices.js';
import { fieldFaults } from '../../shell/states/refusal-text.js';

/**
 * A change that a button or a form makes, after which everything on the page is read again. What is wrong with one of
 * `fields`, those of the form, stands there; any other refusal is a notice.
 */
export function useSending<Field extends string = never>(fields: readonly Field[] = []) {
  const queries = useQueryClient();
  const notices = useNotices();
  const [isBusy, setIsBusy] = useState(false);
  const [faults, setFaults] = useState<Partial<Record<Field, ReactNode>>>({});
  const send = async (change: () => Promise<void>): Promise<void> => {
    setIsBusy(true);
    setFaults({});
    try {
      await change();
    } catch (error) {
      const found = fieldFaults(error);
      const shown = fields.flatMap((field) => (found[field] === undefined ? [] : [[field, found[field]]]));
      setFaults(Object.fromEntries(shown) as Partial<Record<Field, ReactNode>>);
      if (shown.length === 0) notices.failed(error);
    }
    setIsBusy(false);
    void queries.invalidateQueries();
  };
  return { isBusy, faults, send };
}
