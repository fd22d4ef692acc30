/** The Unicode names of the characters that people paste or type most, in lower case. */
const NAMES: Readonly<Record<string, string>> = {
  '/': 'slash',
  '\\': 'backslash',
  '[': 'left square bracket',
  ']': 'right square bracket',
  '{': 'left curly bracket',
  '}': 'right curly bracket',
  '|': 'vertical line',
  '^': 'circumflex accent',
  '~': 'tilde',
  '`': 'grave accent',
  '´': 'acute accent',
  '€': 'euro sign',
  '“': 'left double quotation mark',
  '”': 'right double quotation mark',
  '„': 'double low-9 quotation mark',
  '«': 'left-pointing double angle quotation mark',
  '»': 'right-pointing double angle quotation mark',
  '‘': 'left single quotation mark',
  '’': 'right single quotation mark',
  '‚': 'single low-9 quotation mark',
  '‹': 'single left-pointing angle quotation mark',
  '›': 'single right-pointing angle quotation mark',
  '′': 'prime',
  '″': 'double prime',
  '‐': 'hyphen',
  '‑': 'non-breaking hyphen',
  '‒': 'figure dash',
  '–': 'en dash',
  '—': 'em dash',
  '−': 'minus sign',
  '…': 'horizontal ellipsis',
  '•': 'bullet',
  '·': 'middle dot',
  '°': 'degree sign',
  '©': 'copyright sign',
  '®': 'registered sign',
  '™': 'trade mark sign',
  '×': 'multiplication sign',
  '÷': 'division sign',
  '±': 'plus-minus sign',
  '½': 'vulgar fraction one half',
  '¼': 'vulgar fraction one quarter',
  '²': 'superscript two',
  '³': 'superscript three',
  µ: 'micro sign',
  '№': 'numero sign',
  ª: 'feminine ordinal indicator',
  º: 'masculine ordinal indicator',
  '¢': 'cent sign',
  '₹': 'Indian rupee sign',
  '₺': 'Turkish lira sign',
  '₽': 'ruble sign',
  '₴': 'hryvnia sign',
  ß: 'sharp s',
  æ: 'ae',
  Æ: 'capital AE',
  œ: 'oe',
  Œ: 'capital OE',
  ø: 'o with stroke',
  Ø: 'capital O with stroke',
  ł: 'l with stroke',
  Ł: 'capital L with stroke',
  đ: 'd with stroke',
  Đ: 'capital D with stroke',
  ı: 'dotless i',
  '\t': 'tab',
  '\u00a0': 'no-break space',
  '\u202f': 'narrow no-break space',
  '\u2009': 'thin space',
  '\u200a': 'hair space',
  '\u3000': 'ideographic space',
  '\u00ad': 'soft hyphen',
  '\u200b': 'zero width space',
  '\u200c': 'zero width non-joiner',
  '\u200d': 'zero width joiner',
  '\u200e': 'left-to-right mark',
  '\u200f': 'right-to-left mark',
  '\u2028': 'line separator',
  '\u2029': 'paragraph separator',
  '\u2060': 'word joiner',
  '\ufeff': 'byte order mark',
};

const DIACRITICS: Readonly<Record<string, string>> = {
  '\u0300': 'grave',
  '\u0301': 'acute',
  '\u0302': 'circumflex',
  '\u0303': 'tilde',
  '\u0304': 'macron',
  '\u0306': 'breve',
  '\u0307': 'dot above',
  '\u0308': 'diaeresis',
  '\u0309': 'hook above',
  '\u030a': 'ring above',
  '\u030b': 'double acute',
  '\u030c': 'caron',
  '\u031b': 'horn',
  '\u0323': 'dot below',
  '\u0326': 'comma below',
  '\u0327': 'cedilla',
  '\u0328': 'ogonek',
};

/** What a character is if it has no name here: the first that fits. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^\p{Regional_Indicator}{2}/u, 'flag'],
  [/\p{Extended_Pictographic}|\p{Emoji_Presentation}|\u20e3/u, 'emoji'],
  [/^\p{Script=Cyrillic}/u, 'Cyrillic letter'],
  [/^\p{Script=Greek}/u, 'Greek letter'],
  [/^\p{Script=Arabic}/u, 'Arabic letter'],
  [/^\p{Script=Hebrew}/u, 'Hebrew letter'],
  [/^\p{Script=Han}/u, 'Chinese character'],
  [/^\p{Script=Hiragana}/u, 'Hiragana letter'],
  [/^\p{Script=Katakana}/u, 'Katakana letter'],
  [/^\p{Script=Hangul}/u, 'Hangul syllable'],
  [/^\p{Script=Devanagari}/u, 'Devanagari letter'],
  [/^\p{Script=Bengali}/u, 'Bengali letter'],
  [/^\p{Script=Tamil}/u, 'Tamil letter'],
  [/^\p{Script=Thai}/u, 'Thai letter'],
  [/^\p{Script=Armenian}/u, 'Armenian letter'],
  [/^\p{Script=Georgian}/u, 'Georgian letter'],
  [/^\p{Script=Ethiopic}/u, 'Ethiopic syllable'],
  [/^\p{Script=Latin}/u, 'Latin letter'],
  [/^\p{L}/u, 'letter'],
  [/^\p{M}/u, 'combining mark'],
  [/^\p{N}/u, 'number'],
  [/^\p{Sc}/u, 'currency sign'],
  [/^\p{Zs}/u, 'space'],
  [/^\p{Cf}/u, 'invisible character'],
  [/^\p{Cc}/u, 'control character'],
  [/^\p{Cs}/u, 'half of a surrogate pair'],
  [/^\p{P}/u, 'punctuation mark'],
  [/^\p{S}/u, 'symbol'],
];

/** What a character is called: by its Unicode name where it is a frequent one, else by what it is. */
export function nameCharacter(character: string): string {
  const composed = character.normalize('NFC');
  return NAMES[composed] ?? accentedLetter(composed) ?? kindOf(composed);
}

/** Whether it has nothing to show, so that its code stands in its place. */
export function isInvisible(character: string): boolean {
  return /^[\p{Z}\p{Cf}\p{Cc}\p{Cs}]+$/u.test(character);
}

function accentedLetter(character: string): string | undefined {
  const [base = '', ...marks] = character.normalize('NFD');
  const names = marks.flatMap((mark) => DIACRITICS[mark] ?? []);
  if (!/^[A-Za-z]$/.test(base) || names.length === 0 || names.length !== marks.length) return undefined;
  const letter = base === base.toUpperCase() ? `capital ${base}` : base;
  return `${letter} with ${names.join(' and ')}`;
}

function kindOf(character: string): string {
  return KINDS.find(([kind]) => kind.test(character))?.[1] ?? 'character';
}
