import { isJsonObject } from '../http/json-body.js';
import { allFaults, type Checked } from '../http/problem.js';
import type { SendBatchRequest } from './batch.dto.js';
import { inheritOptions, OPTION_NAMES } from './send-options.dto.js';
import type { Submission } from './submission.js';
import { repeatedReferences, withUniqueReferences } from './unique-references.js';

/** A batch; if `messages` is not an array, there are no drafts, only a fault. */
export function batchSubmission(body: Partial<SendBatchRequest>, ...beside: Checked[]): Submission {
  const drafts = Array.isArray(body.messages) ? body.messages : [];
  const faults = allFaults(body, beside);
  const { uniqueReference } = body;
  const repeated = uniqueReference === true ? repeatedReferences(drafts) : [];
  const submission = { drafts, isBatch: true, faults: [...faults, ...repeated] };
  if (OPTION_NAMES.some((name) => body[name] !== undefined)) {
    // Also beside faults: without the options, entries would be named that have none, and others would not.
    for (const draft of drafts) if (isJsonObject(draft)) inheritOptions(draft, body);
  }
  return uniqueReference === true ? withUniqueReferences(submission) : submission;
}
