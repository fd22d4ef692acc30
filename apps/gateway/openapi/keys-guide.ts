import { ACTIVE_KEYS_MAX, KEY_NETWORKS_MAX } from '#persistence';
import { OVERLAP_SECONDS_DEFAULT, OVERLAP_SECONDS_MAX } from '../keys/keys.dto.js';
import { KEY_CHANGES } from '../keys/manage-keys.js';
import type { Block } from './guide.js';

export const KEYS_GUIDE_TITLE = 'Keys and limits';

const KEYS = 'http://localhost:3000/v1/account/keys';
const HOUR_SECONDS = 3_600;
const JSON_HEADERS = '-H "X-Authorization: $API_KEY" -H "Content-Type: application/json"';

/** What a client has to know about its API keys, and about the limits that it meets. */
export function keysGuide(): Block[] {
  return [
    {
      prose:
        'Every request has an API key of the account in the header `X-Authorization`. An account may have several ' +
        `keys, up to ${ACTIVE_KEYS_MAX} active ones, all for the same balance and the same messages. Give each of ` +
        'your programs a key of its own, which can do what this program needs and no more. If a key leaks, you ' +
        'replace this one, and the other programs go on.',
    },
    { heading: 'What a key may do' },
    {
      columns: ['Scope', 'Opens'],
      rows: [
        ['`send`', 'sends, single and in batches, and quotes'],
        ['`read`', 'all that the account shows: summary, balance, deposits, messages'],
        ['`manage`', 'the keys of the account: list, make, rename, rotate, revoke'],
      ],
    },
    {
      prose:
        'A key has one or more scopes, and each endpoint needs exactly one, which its description names. Beside its ' +
        'scopes a key may have two more bounds:',
    },
    {
      list: [
        `\`networks\`: up to ${KEY_NETWORKS_MAX} addresses and networks, such as \`192.0.2.7\` or \`2001:db8::/32\`. The key works from there only. Without them it works from anywhere.`,
        '`expiresAt`: the time from which the key is refused. Without it the key works until it is revoked.',
      ],
    },
    {
      prose:
        'Only the name of a key can change. For other scopes, networks or another expiry, make a new key and revoke ' +
        'the old one. A request that a key may not make is refused before its body is read, and nothing is charged:',
    },
    {
      columns: ['Status', 'Code', 'Why', 'What to do'],
      rows: [
        ['401', '`unauthorized`', 'the key is missing, unknown or revoked', 'send a valid one'],
        ['401', '`key_expired`', 'the key was valid, and has expired', 'use the key that replaced it'],
        [
          '403',
          '`network_not_allowed`',
          'the address of the client is in none of its networks',
          'look at `detail`: it has the address',
        ],
        ['403', '`insufficient_scope`', 'the key lacks the scope that `scope` names', 'use a key that has it'],
      ],
    },
    { heading: 'Make, list and revoke keys' },
    {
      prose:
        'This needs a key with the scope `manage`. The first key of an account has all scopes; ask the operator if no ' +
        'key of yours has this one.',
    },
    {
      lines: [
        `curl ${KEYS} ${JSON_HEADERS} \\`,
        `  -d '{"name":"shop","scopes":["send"],"networks":["127.0.0.0/8"]}'`,
        '',
        '{"keyId":"3f9a1c0e","name":"shop","scopes":["send"],"networks":["127.0.0.0/8"],"status":"active",',
        ' "createdAt":"2026-11-22T09:30:00.000Z","expiresAt":null,"lastUsedAt":null,"revokedAt":null,',
        ' "apiKey":"hg_3f9a1c0e_BFhmstRSHgH3mNcmturkMk6ww1pPO1KIuAsFnd2jObA"}',
      ],
    },
    {
      prose:
        'The answer has the key itself, in `apiKey`. The service keeps a hash of it only, so nobody can show it again. ' +
        '`keyId` names the key everywhere else; it is the part of the key behind `hg_`.',
    },
    {
      lines: [
        `curl ${KEYS} -H "X-Authorization: $API_KEY"`,
        `curl ${KEYS}/$KEY_ID -H "X-Authorization: $API_KEY"`,
        `curl -X PATCH ${KEYS}/$KEY_ID ${JSON_HEADERS} \\`,
        `  -d '{"name":"store"}'`,
        `curl -X POST ${KEYS}/$KEY_ID/revoke -H "X-Authorization: $API_KEY"`,
      ],
    },
    {
      list: [
        '`lastUsedAt` is the time of the last request that had the key, also of a refused one. It is up to a minute late. A key that nobody has used for long can probably go.',
        'A revoked key ends within 5 seconds. Revoking it again changes nothing.',
        'A key cannot give more than it has: the scopes, networks and expiry of a new key lie within those of the key that makes it, or the request is 403 `exceeds_own_key`. What you leave out (`networks`, `expiresAt`) is taken from that key.',
        'The last key with `manage` does not revoke itself: 409 `last_manage_key`. Make or rotate one first.',
        `You may make ${KEY_CHANGES.burst} changes at once, then one in ${1 / KEY_CHANGES.perSecond} seconds.`,
        'If the answer with a new key does not reach you, make another one, and revoke the key that nobody has.',
      ],
    },
    { heading: 'Replace a key without downtime' },
    {
      prose:
        'Rotating makes a new key with the name, scopes and networks of the old one. The old key goes on working for ' +
        `\`overlapSeconds\`: ${OVERLAP_SECONDS_DEFAULT / HOUR_SECONDS} hours if you do not say, at most ${OVERLAP_SECONDS_MAX / HOUR_SECONDS / 24} days. A key may rotate itself.`,
    },
    {
      lines: [
        `curl -X POST ${KEYS}/$KEY_ID/rotate ${JSON_HEADERS} \\`,
        `  -d '{"overlapSeconds":3600}'`,
        '',
        '{"keyId":"9k2x07qd","name":"store","scopes":["send"],"networks":["127.0.0.0/8"],"status":"active",...,',
        ' "apiKey":"hg_9k2x07qd_...","replacedKey":{"keyId":"3f9a1c0e","expiresAt":"2026-11-22T10:31:00.000Z",...}}',
      ],
    },
    {
      list: [
        'Rotate the key, and give the new one to every program that uses the old one.',
        'Look at `lastUsedAt` of the old key. While it moves, a program still has the old key.',
        'When it stands still, revoke the old key, or let it expire.',
        'If a key has leaked, rotate it with `"overlapSeconds":0`: the old key ends at once.',
      ],
    },
    {
      prose:
        'A new key expires when the old one would have, unless you give another `expiresAt`; `null` is never. An ' +
        'overlap never makes a key live longer than it would have.',
    },
    { heading: 'Limits' },
    {
      columns: ['What', 'How much', 'Beyond it'],
      rows: [
        [
          'messages that are accepted',
          'only if the operator has limited your account: a number a second',
          '429 `rate_limited`, nothing is charged',
        ],
        [
          'reads and quotes',
          '1,000 a second, 10,000 at once, unless the operator has set another number',
          '429 `rate_limited`',
        ],
        [
          'refused and replayed sends',
          'the same, counted apart',
          '429 `rate_limited`, for all sends until there is room',
        ],
        [
          'wrong keys from an address',
          '50 a second, 1,000 at once',
          '429 `rate_limited`; valid keys from there are served',
        ],
        [
          'changes of keys',
          `${KEY_CHANGES.burst} at once, then one in ${1 / KEY_CHANGES.perSecond} seconds`,
          '429 `rate_limited`',
        ],
      ],
    },
    {
      prose:
        'The limit of messages counts each message of a batch. You may send at once what it allows in a second. A batch of ' +
        'more than that is accepted when nothing was sent for as long as the limit asks; after it, sends wait until ' +
        'the rate is kept on average. Refused sends and replays do not count.',
    },
    { heading: 'RateLimit headers' },
    {
      prose:
        'If your account has a limit of messages, every answer says what remains of it, over all gateways, as ' +
        'draft-ietf-httpapi-ratelimit-headers-11 has it:',
    },
    { lines: ['RateLimit-Policy: "messages";q=50;w=1;heliograph-unit="messages"', 'RateLimit: "messages";r=12;t=1'] },
    {
      list: [
        '`q` and `w`: 50 messages in a window of 1 second. The draft has no unit for messages, so a parameter of our own names it.',
        '`r`: 12 messages may be sent now.',
        '`t`: within 1 second no more than these. With `r=0` it is the number of seconds until there is room.',
      ],
    },
    {
      prose:
        'Send no more than `r` messages, and then wait for `t` seconds. A refusal for a limit is 429 `rate_limited`; ' +
        'its `violated-policies` names the limit, and `Retry-After` the seconds to wait, never fewer than `t`. Other ' +
        'programs with keys of the same account share the limit, so `r` is a hint and no promise. If an answer has no ' +
        '`RateLimit-Policy`, your account has no limit of messages.',
    },
  ];
}
