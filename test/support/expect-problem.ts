import { expect } from '@jest/globals';
import type { Problem } from './contract.js';
import type { HttpReply } from './http-client.js';

const QUOTA_EXCEEDED = 'https://iana.org/assignments/http-problem-types#quota-exceeded';

/** Holds a reply against what every refusal looks like (RFC 9457 with the members of this API), and gives its body. */
export function expectProblem(reply: HttpReply, status: number, code: string): Problem {
  const problem = reply.as<Problem>();
  expect({ status: reply.status, code: problem.code }).toEqual({ status, code });
  expect(reply.headers['content-type']).toBe('application/problem+json');
  expect(problem).toMatchObject({
    type: code === 'rate_limited' ? QUOTA_EXCEEDED : `/docs/errors#${code}`,
    title: expect.stringMatching(/^[A-Z]/),
    status,
    detail: expect.stringMatching(/^[\s\S]+[.?]$/),
    success: false,
  });
  expect(problem.requestId).toBe(reply.headers['x-request-id']);
  expect(problem.instance).toBe(`/requests/${problem.requestId}`);
  const known = [
    'type',
    'title',
    'status',
    'detail',
    'instance',
    'success',
    'code',
    'requestId',
    'errors',
    'errorsOmitted',
  ];
  const ofCode: Record<string, string[]> = {
    insufficient_balance: ['balance', 'required', 'currency'],
    insufficient_scope: ['scope'],
    spend_limit: ['period', 'limit', 'spent', 'required', 'currency'],
    rate_limited: ['violated-policies'],
  };
  expect([...known, ...(ofCode[code] ?? [])]).toEqual(expect.arrayContaining(Object.keys(problem)));
  return problem;
}

/** The faults that a refusal names, without their sentences. */
export function faultsOf(problem: Problem): { field: string; arrayPosition?: number; code: string }[] {
  return (problem.errors ?? []).map(({ detail, ...fault }) => {
    expect(detail).toMatch(/./);
    return fault;
  });
}
