import { describe, expect, test } from '@jest/globals';
import { ApiError, type ProblemFault } from '../../apps/console/shell/api/api-error.js';
import { faultRefusal, refusalOf } from '../../apps/console/shell/api/refusal.js';
import { refusal } from '../../apps/console/shell/words/refusals.js';
import { ERRORS, FAULT_CODES, type FaultCode } from '../../apps/gateway/http/error-catalogue.js';
import { OPERATOR_ERRORS } from '../../apps/gateway/http/operator-errors.js';

/** What a problem document becomes. */
const refused = (code: string, detail: string, errors: readonly ProblemFault[] = []) =>
  new ApiError(400, code, 'A title', detail, errors);
const NETWORK = { field: 'networks.0', code: 'invalid_request', detail: 'networks.0 must match format "cidr".' };
const NAME = { field: 'name', code: 'invalid_request', detail: 'name is required.' };

describe('what a person reads of a refusal', () => {
  test('is of the console, and the sentence of the API stands below', () => {
    expect(refusalOf(refused('insufficient_balance', 'The balance is 1 EUR; this costs 2 EUR.'))).toEqual({
      text: 'The balance is not enough. Nothing was charged.',
      detail: 'The balance is 1 EUR; this costs 2 EUR.',
    });
  });

  test('is the sentence of the API if the console does not know the code', () => {
    const nothingMore = { text: 'The tide is out.', detail: undefined };
    expect(refusalOf(refused('no_tide', 'The tide is out.'))).toEqual(nothingMore);
    expect(faultRefusal({ code: 'no_tide', detail: 'The tide is out.' })).toEqual(nothingMore);
  });

  test('names fields as the form does, and an entry of a list by its field', () => {
    const error = refused('invalid_request', '2 faults; see errors.', [NETWORK, NAME]);
    expect(refusalOf(error, { labels: { networks: 'Only from these addresses', name: 'Name' } })).toEqual({
      text: 'Only from these addresses: This value is not accepted.\nName: This value is not accepted.',
      detail: `${NETWORK.detail} ${NAME.detail}`,
    });
    expect(refusalOf(error).text).toBe('The service does not accept this. Check what you wrote.');
  });

  test('is what the page says of a code that means something narrower there', () => {
    const error = refused('sign_in_failed', 'The name, the password or the code is wrong.');
    const own = { sign_in_failed: 'The current password is wrong.' };
    expect(refusalOf(error, { own })).toEqual({ text: own.sign_in_failed, detail: undefined });
  });

  test('says once what the API says in the same words', () => {
    const { sign_in_failed: text = '' } = refusal.codes;
    expect(refusalOf(refused('sign_in_failed', text))).toEqual({ text, detail: undefined });
  });
});

/** The consoles send no such field, or name its fault by themselves. */
const NEVER_MET: readonly FaultCode[] = [
  'unknown_field',
  'batch_empty',
  'batch_too_large',
  'idempotency_key_invalid',
  'reference_used',
  'too_many_segments',
];

test('the consoles have words for each fault of a field that their forms can have', () => {
  const without = FAULT_CODES.filter((code) => !NEVER_MET.includes(code) && !(code in refusal.codes));
  expect(without).toEqual([]);
});

test('each code that the consoles have words for is one of the service, or means that there is no answer', () => {
  const known = [...Object.keys(ERRORS), ...Object.keys(OPERATOR_ERRORS), 'unreachable'];
  expect(Object.keys(refusal.codes).filter((code) => !known.includes(code))).toEqual([]);
});
