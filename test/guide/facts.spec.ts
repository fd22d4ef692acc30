import { describe, expect, test } from '@jest/globals';
import {
  buildTariff,
  countSegments,
  encodingOf,
  formatMicros,
  ORDER_REASONS,
  ORDER_STATES,
  orderEnd,
  parseMicros,
  quoteMessage,
  TRANSITIONS,
} from '#billing';
import { SANDBOX_RECIPIENTS } from '#carrier';
import { loadConfig } from '#config';
import { ACTIVE_KEYS_MAX, EVENT_DAYS, EVENT_TYPES, KEY_NETWORKS_MAX } from '#persistence';
import { RETRY_DELAYS_MS } from '#webhooks';
import { ERRORS } from '../../apps/gateway/http/error-catalogue.js';
import { OVERLAP_SECONDS_DEFAULT, OVERLAP_SECONDS_MAX } from '../../apps/gateway/keys/keys.dto.js';
import { KEY_CHANGES } from '../../apps/gateway/keys/manage-keys.js';
import { STATUS_FIELD } from '../../apps/gateway/openapi/order-fields.js';
import { classifyAnswer } from '../../libs/carrier/http/classify-answer.js';
import { SANDBOX_BALANCE } from '../../libs/persistence/accounts/open-sandbox.js';
import { fencesOf, GUIDE_FILES, guideText } from './guide-fences.js';

/** A page as one line of words. */
const wordsOf = (file: string) => guideText(file).replaceAll(/\s+/g, ' ');
/** The rows of all tables, cell by cell. */
const rowsOf = (file: string): string[][] =>
  [...guideText(file).matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) =>
    row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
const defaults = loadConfig({ DATABASE_URL: 'postgres://localhost/guide', SECRETS_KEY: '' });
const HOUR = 3_600;

describe('every page', () => {
  test.each(GUIDE_FILES)('%s names error codes that exist, with their status', (file) => {
    for (const [, status, code = ''] of wordsOf(file).matchAll(/\b([45]\d\d)[ |]+`([a-z_]+)`/g))
      expect([code, ERRORS[code as keyof typeof ERRORS]?.status]).toEqual([code, Number(status)]);
  });

  test.each(GUIDE_FILES)('%s has links within the guide, or to the standard of webhooks', (file) => {
    for (const [, target = ''] of guideText(file).matchAll(/\]\(([^)]+)\)/g))
      expect(target).toMatch(
        /^(#|[\w-]+\.md(#|$)|http:\/\/localhost:3000\/docs\/|https:\/\/www\.standardwebhooks\.com$)/,
      );
  });

  test.each(GUIDE_FILES)('%s has samples in languages that readers are told', (file) => {
    for (const { language, line } of fencesOf(file))
      expect([line, language]).toEqual([line, expect.stringMatching(/^(console|sh|ts|json|http|)$/)]);
  });
});

describe('"Text, segments and price"', () => {
  const [standard = '', missing = ''] = fencesOf('text.md').map(({ text }) => text);

  test('lists exactly the characters that are billed at one byte', () => {
    const inSet = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
      (character) => encodingOf(character) === 'standard',
    );
    expect([...new Set(['\r', '\n', ' ', ...standard.trim().split(/\s+/)])].sort()).toEqual(inSet.sort());
    expect(missing.trim().split(' ')).toEqual(['/', '[', '\\', ']', '^', '`', '{', '|', '}', '~']);
  });

  test('has prices of its examples that are those of the service', () => {
    const tariff = buildTariff([{ prefix: '49', price: parseMicros('0.05') }]);
    const examples: Record<string, string> = {
      'a code': 'Your code is 4711',
      '160 standard characters': 'x'.repeat(160),
      '161 standard characters': 'x'.repeat(161),
      '160 characters, one of them `€`': `${'x'.repeat(159)}€`,
      '35 emoji, two code units each': '👍'.repeat(35),
      '36 emoji': '👍'.repeat(36),
    };
    const rows = rowsOf('text.md');
    for (const [what, message] of Object.entries(examples)) {
      const quote = quoteMessage({ recipient: '+491701234567', message }, tariff);
      if (!('segments' in quote)) throw new Error(`${what} cannot be sent`);
      const row = [what, message.length, quote.encoding, quote.segments, formatMicros(quote.price)].map(String);
      expect(rows).toContainEqual(row);
    }
  });

  test('a slash makes 71 to 160 characters two or three times as dear', () => {
    expect(wordsOf('text.md')).toContain('a text of 71 to 160 characters then costs two or three times as much');
    for (let length = 71; length <= 160; length += 1) {
      const plain = 'x'.repeat(length);
      expect(countSegments(plain, 'standard')).toBe(1);
      expect([2, 3]).toContain(countSegments(`${plain.slice(1)}/`, 'extended'));
    }
  });
});

describe('"Statuses and carrier codes"', () => {
  const rows = rowsOf('statuses.md');

  test('has every status, with the statuses that may follow', () => {
    for (const status of ORDER_STATES) {
      const [, , next = ''] = rows.find(([first]) => first === `\`${status}\``) ?? [];
      const followers = TRANSITIONS.filter(({ from }) => from === status).map(({ to }) => to);
      expect([status, [...next.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort()]).toEqual([
        status,
        followers.sort(),
      ]);
    }
  });

  test('no word says that a failed message costs nothing: segments that a carrier took stay charged', () => {
    const row = rows.find(([first]) => first === '`failed`') ?? [];
    expect(row[1]).toBe('it never left, or not all of it');
    expect(STATUS_FIELD.description).toContain('`failed`: it never left, or not all of it; only segments that');
    for (const file of GUIDE_FILES) expect(wordsOf(file)).not.toMatch(/never left,? and is not charged/);
  });

  test('has every reason under the status that it explains, in the words of the service', () => {
    for (const [reason, words] of Object.entries(ORDER_REASONS)) {
      const row = rows.find(([, name]) => name === `\`${reason}\``);
      expect([reason, row?.[2]]).toEqual([reason, words]);
    }
    expect(orderEnd('unknown', 'NO_RECEIPT').reason).toBe('no_receipt');
  });

  test('has the codes of carriers with an HTTP API as they are shown', () => {
    const codeOf = (body: string) => {
      const answer = { status: 400, retryAfter: undefined, body };
      const { outcome } = classifyAnswer(answer, { isOwnSender: false }, 0);
      return 'code' in outcome && outcome.code;
    };
    const [forms = ''] = rows.find(([, what = '']) => what.includes('a carrier with an HTTP API')) ?? [];
    expect(forms).toBe(`\`${codeOf('{"code":21211}')}\`, \`${codeOf('')}\``);
  });

  test('has the times of the service', () => {
    expect(wordsOf('statuses.md')).toContain(
      `by default a message is valid for ${defaults.MESSAGE_VALIDITY_SECONDS / HOUR} hours (\`validUntil\`), and a receipt is awaited for ${defaults.RECEIPT_DEADLINE_SECONDS / HOUR}.`,
    );
  });
});

test('"Keys and limits" has the numbers of the service', () => {
  const words = wordsOf('keys.md');
  expect(words).toContain(`up to ${ACTIVE_KEYS_MAX} active ones`);
  expect(words).toContain(`up to ${KEY_NETWORKS_MAX} addresses and networks`);
  expect(words).toContain(
    `${OVERLAP_SECONDS_DEFAULT / HOUR} hours if you do not say, at most ${OVERLAP_SECONDS_MAX / HOUR / 24} days`,
  );
  expect(words).toContain(`${KEY_CHANGES.burst} changes at once, then one in ${1 / KEY_CHANGES.perSecond} seconds`);
});

test('"Test mode" has every recipient with an outcome of its own, and the balance that a sandbox begins with', () => {
  const rows = rowsOf('test-mode.md').filter(([first = '']) => first.startsWith('`+'));
  expect(rows).toEqual(SANDBOX_RECIPIENTS.map(({ recipient, outcome }) => [`\`${recipient}\``, outcome.meaning]));
  const balance = Number(formatMicros(SANDBOX_BALANCE)).toLocaleString('en-US');
  expect(wordsOf('test-mode.md')).toContain(`a test balance, which begins with ${balance} in the currency`);
});

test('"Batches" and "Repeat without paying twice" have the limits of the service', () => {
  const { BATCH_MESSAGES_MAX, IDEMPOTENCY_KEY_HOURS } = defaults;
  expect(wordsOf('batches.md')).toContain(`${BATCH_MESSAGES_MAX.toLocaleString('en-US')} entries, unless the operator`);
  expect(wordsOf('idempotency.md')).toContain(`is kept for ${IDEMPOTENCY_KEY_HOURS} hours, unless the operator`);
});

describe('"Webhooks"', () => {
  test('lists every event that can be asked for', () => {
    const listed = rowsOf('webhooks.md').map(([type = '']) => type.replaceAll('`', ''));
    expect(listed).toEqual(expect.arrayContaining([...EVENT_TYPES]));
  });

  test('has the schedule of the attempts', () => {
    const [fiveSeconds = 0, ...longer] = RETRY_DELAYS_MS.map((ms) => ms / 1_000);
    const minutes = longer.filter((seconds) => seconds < HOUR).map((seconds) => `${seconds / 60} minutes`);
    const hours = longer.filter((seconds) => seconds >= HOUR).map((seconds) => seconds / HOUR);
    expect(wordsOf('webhooks.md')).toContain(
      `after about ${fiveSeconds} seconds, ${minutes.join(', ')}, ${hours.slice(0, -1).join(', ')} and ${hours.at(-1)} hours`,
    );
    expect(wordsOf('webhooks.md')).toContain(`${RETRY_DELAYS_MS.length + 1} attempts in three days`);
    expect(wordsOf('webhooks.md')).toContain(`keeps its events for ${EVENT_DAYS} days`);
  });
});
