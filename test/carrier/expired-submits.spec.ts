import { expect, test } from '@jest/globals';
import { SubmitStatuses } from '../../libs/carrier/smpp/error-codes.js';
import { completeSettings } from '../../libs/carrier/smpp/setting-rules.js';
import { Submits } from '../../libs/carrier/smpp/submits.js';
import { aSegment } from '../support/test-carrier.js';

const SETTINGS = {
  name: 'test',
  host: '127.0.0.1',
  port: 2775,
  systemId: 'esme',
  password: '',
  tls: false,
  sender: 'Heliograph',
};

test('a carrier that never answers costs bounded memory: of 10,001 expired submits the oldest is forgotten', () => {
  const silent = () => undefined;
  const submits = new Submits({
    settings: completeSettings(SETTINGS),
    statuses: new SubmitStatuses(),
    sparseLog: { info: silent, warn: silent, error: silent },
    now: () => 0,
    onOutcome: silent,
    send: (pdu) => {
      pdu.written = true;
    },
  });
  for (let sequence = 1; sequence <= 10_001; sequence++) void submits.submit(aSegment(), silent, sequence);
  submits.expire(0);
  expect([1, 2, 10_001].map((sequence) => submits.knows(sequence))).toEqual([false, true, true]);
  submits.end('BIND_LOST');
  expect(submits.knows(2)).toBe(false);
});
