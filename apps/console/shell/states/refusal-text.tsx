import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError } from '../api/api-error.js';
import { faultRefusal, type Refusal, type RefusalContext, refusalOf } from '../api/refusal.js';

interface RefusalTextProps extends RefusalContext {
  readonly error: unknown;
  /** What the page adds, e.g. what helps. */
  readonly more?: ReactNode;
}

/** Why something was refused, in words of the console, with what the API says below. */
export function RefusalText({ error, more, ...context }: RefusalTextProps) {
  return <Lines refusal={refusalOf(error, context)} more={more} />;
}

/** The faults of the fields of a form, to stand at them, read out at once. */
export function fieldFaults(error: unknown): Readonly<Record<string, ReactNode>> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    error.faults.map((fault) => [
      fault.field,
      <span key="0" role="alert">
        <Lines refusal={faultRefusal(fault)} />
      </span>,
    ]),
  );
}

function Lines({ refusal: { text, detail }, more }: { readonly refusal: Refusal; readonly more?: ReactNode }) {
  return (
    <>
      <span style={{ whiteSpace: 'pre-line' }}>{text}</span>
      {more !== undefined && <> {more}</>}
      {detail !== undefined && (
        <Text component="span" display="block" size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {detail}
        </Text>
      )}
    </>
  );
}
