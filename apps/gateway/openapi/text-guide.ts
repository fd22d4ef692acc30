import {
  buildTariff,
  EXTENDED_MESSAGE_MAX,
  EXTENDED_SEGMENT_MAX,
  EXTENDED_SINGLE_MAX,
  encodingOf,
  formatMicros,
  isViolation,
  offendingCharacters,
  parseMicros,
  quoteMessage,
  SEGMENTS_MAX,
  STANDARD_MESSAGE_MAX,
  STANDARD_SEGMENT_MAX,
  STANDARD_SINGLE_MAX,
} from '#billing';
import type { Block } from './guide.js';

export const TEXT_GUIDE_TITLE = 'Text, segments and price';

const RECIPIENT = '+491701234567';
const UNIT_PRICE = parseMicros('0.05');
const TARIFF = buildTariff([{ prefix: '49', price: UNIT_PRICE }]);
const BASIC_LATIN_END = 0x7f;
const LAST_CODE_POINT = 0xffff;
const CHARACTERS_A_LINE = 32;

/** Characters that programs insert although nobody typed them, and what to write instead. */
const REPLACEMENTS: readonly [character: string, name: string, instead: string][] = [
  ['’', 'curly apostrophe', "'"],
  ['“ ”', 'curly quotation marks', '"'],
  ['–', 'dash', '-'],
  ['…', 'ellipsis', '...'],
  ['\u00a0', 'no-break space', 'a space'],
  ['€', 'euro sign', 'EUR'],
  ['é ä ñ ç', 'letters with a diacritic', 'the plain letter, where the language allows it'],
  ['~ | [ ] { }', 'ASCII all the same', '- ( )'],
];

const PARCEL = 'Your parcel comes today between 14 and 16. To change the time, go to www.example.com';

/** Texts as they are sent; the other columns of the table are computed. */
const EXAMPLES: readonly [what: string, text: string][] = [
  ['a code', 'Your code is 4711'],
  ['a sentence with `www.example.com`', `${PARCEL}.`],
  ['the same with `www.example.com/4711`', `${PARCEL}/4711.`],
  ['160 standard characters', 'x'.repeat(160)],
  ['161 standard characters', 'x'.repeat(161)],
  ['160 characters, one of them `€`', `${'x'.repeat(159)}€`],
  ['35 emoji, two code units each', '👍'.repeat(35)],
  ['36 emoji', '👍'.repeat(36)],
];

/**
 * What a client has to know about texts. Sets, limits and examples come from libs/billing, which bills the messages.
 */
export function textGuide(): Block[] {
  const standard = codePoints().filter((character) => encodingOf(character) === 'standard');
  const printable = standard.filter((character) => character >= ' ');
  const symbols = printable.filter((character) => character > '\u007f');
  const missing = codePoints()
    .slice(0x20, BASIC_LATIN_END)
    .filter((character) => encodingOf(character) === 'extended');
  return [
    {
      prose:
        'A message is billed by the segment. Its price is the number of its segments, times the price of one ' +
        'segment to its destination. The carrier gets exactly the segments that are billed. Nothing is trimmed, ' +
        'replaced or shortened.',
    },
    { heading: 'Two character sets' },
    {
      prose:
        'If every character of a message is in the standard set, the message is sent with one byte for each ' +
        'character. One character outside the set makes the whole message extended: it is sent with two bytes for ' +
        'each UTF-16 code unit, and a segment holds less than half.',
    },
    {
      columns: ['', 'Standard', 'Extended'],
      rows: [
        ['counted in', 'characters', 'UTF-16 code units (most emoji are two)'],
        ['one segment', `up to ${STANDARD_SINGLE_MAX}`, `up to ${EXTENDED_SINGLE_MAX}`],
        ['each segment of a longer message', `${STANDARD_SEGMENT_MAX}`, `${EXTENDED_SEGMENT_MAX}`],
        [
          `the longest message (${SEGMENTS_MAX} segments)`,
          grouped(STANDARD_MESSAGE_MAX),
          `${grouped(EXTENDED_MESSAGE_MAX)}; fewer where a segment ends between the halves of an emoji, which stay together`,
        ],
      ],
    },
    {
      prose:
        'A segment of a longer message holds less than a single one, because it has a header by which the handset ' +
        'joins the segments.',
    },
    { heading: 'The standard set' },
    {
      prose: `Carriage return, line feed and these ${printable.length} characters, the space among them. ${symbols.length} of them are not ASCII: ${symbols.join(' ')}`,
    },
    { lines: rowsOf(printable) },
    { prose: 'These ASCII characters are not in it, although they are on every keyboard:' },
    { lines: [missing.join(' ')] },
    {
      prose:
        'This set decides, not the alphabet of GSM 03.38: `é` makes a message extended here. Control characters ' +
        'other than carriage return and line feed (a tab, for example), and halves of surrogate pairs, are ' +
        'refused: 400 `message_invalid_character`.',
    },
    { heading: 'What a slash does to a price' },
    {
      prose: `Examples to a destination of ${formatMicros(UNIT_PRICE)} EUR a segment. A web address with a \`/\` makes a message extended; a text of ${EXTENDED_SINGLE_MAX + 1} to ${STANDARD_SINGLE_MAX} characters then costs two or three times as much.`,
    },
    { columns: ['Text', 'Length', 'Set', 'Segments', 'Price (EUR)'], rows: EXAMPLES.map(exampleRow) },
    { heading: 'What to write instead' },
    {
      columns: ['Character', 'What it is', 'In the standard set'],
      rows: REPLACEMENTS.map(([character, name, instead]) => [
        character === '\u00a0' ? 'U+00A0' : character,
        name,
        instead,
      ]),
    },
    { heading: 'Ask before you send' },
    {
      prose:
        '`POST /v1/message/quote` takes the body of a send or of a batch. It answers the set, the characters that ' +
        'make the message extended with their positions, the segments and the price. It charges nothing and needs ' +
        'no balance.',
    },
    { lines: quoteExample() },
    {
      list: [
        'If you build texts from templates, quote each template once with its longest values, and check `encoding`.',
        '`GET /v1/account/messages` lists `segments` and `encoding` of every message that was sent.',
        'An empty message is 400 `message_empty`, a message that is too long 400 `message_too_long`, a destination without a price 422 `no_rate`. Nothing is charged then.',
      ],
    },
  ];
}

function codePoints(): string[] {
  return Array.from({ length: LAST_CODE_POINT + 1 }, (_, codePoint) => String.fromCharCode(codePoint));
}

function rowsOf(characters: readonly string[]): string[] {
  return Array.from({ length: Math.ceil(characters.length / CHARACTERS_A_LINE) }, (_, row) =>
    characters
      .slice(row * CHARACTERS_A_LINE, (row + 1) * CHARACTERS_A_LINE)
      .join(' ')
      // The space itself is the first.
      .trim(),
  );
}

function exampleRow([what, text]: readonly [string, string]): string[] {
  const quote = quoteMessage({ recipient: RECIPIENT, message: text }, TARIFF);
  if (isViolation(quote)) throw new Error(`the example "${what}" breaks a rule: ${quote.detail}`);
  return [what, String(text.length), quote.encoding, String(quote.segments), formatMicros(quote.price)];
}

function quoteExample(): string[] {
  const message = 'Your invoice: example.com/4711';
  const quote = quoteMessage({ recipient: RECIPIENT, message }, TARIFF);
  if (isViolation(quote)) throw new Error(quote.detail);
  const offending = offendingCharacters(message).map((one) => JSON.stringify(one));
  return [
    'curl http://localhost:3000/v1/message/quote -H "X-Authorization: $API_KEY" -H "Content-Type: application/json" \\',
    `  -d '${JSON.stringify({ recipient: RECIPIENT, message })}'`,
    '',
    `{"recipient":"${RECIPIENT}","encoding":"${quote.encoding}",`,
    ` "offendingCharacters":[${offending.join(',')}],`,
    ` "length":${message.length},"segments":${quote.segments},"unitPrice":${formatMicros(quote.unitPrice)},"price":${formatMicros(quote.price)},"currency":"EUR"}`,
  ];
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
