import { words } from '../words.js';
import { ApiError, type ProblemFault } from './api-error.js';

/** What a person reads when something was refused or has failed. */
export interface Refusal {
  /** One line for each field. */
  readonly text: string;
  /** The API's own sentence, where it says something else. */
  readonly detail: string | undefined;
}

export interface RefusalContext {
  /** What the form calls the fields of the API. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Words of the page for codes that mean something narrower there. */
  readonly own?: Readonly<Record<string, string>>;
}

const { codes } = words.refusal as { readonly codes: Readonly<Record<string, string | undefined>> };

/** The words for an error, by its code; the API's own sentence for a code without words. */
export function refusalOf(error: unknown, { labels = {}, own = {} }: RefusalContext = {}): Refusal {
  if (!(error instanceof ApiError)) return { text: messageOf(error), detail: undefined };
  const ownText = own[error.code];
  if (ownText !== undefined) return { text: ownText, detail: undefined };
  const details = error.faults.length === 0 ? error.message : sentences(error.faults.map(({ detail }) => detail));
  const named = error.faults.flatMap((fault) => {
    // An entry of a list is named with its place: networks.0.
    const label = labels[fault.field] ?? labels[fault.field.split('.')[0] ?? ''];
    return label === undefined ? [] : [words.refusal.ofField(label, faultRefusal(fault).text)];
  });
  return refusal(named.length > 0 ? [...new Set(named)].join('\n') : codes[error.code], details);
}

/** The words for the fault of one field, which stands at the field or after its label. */
export function faultRefusal({ code, detail }: Pick<ProblemFault, 'code' | 'detail'>): Refusal {
  return refusal(code === 'invalid_request' ? words.refusal.value : codes[code], detail);
}

function refusal(text: string | undefined, detail: string): Refusal {
  return text === undefined || text === detail ? { text: detail, detail: undefined } : { text, detail };
}

/** A field may break several rules with the same words. */
function sentences(all: readonly string[]): string {
  return [...new Set(all)].join(' ');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
