/** What a receipt says in the form of SMPP 3.4 appendix B, which every carrier writes in its own way. */
export interface ReceiptText {
  readonly id: string | undefined;
  readonly stat: string | undefined;
  readonly err: string | undefined;
  /** Whether it has one of the counts or dates, which a person hardly writes beside an id and a state. */
  readonly hasCounts: boolean;
}

const KEYS = ['id', 'sub', 'dlvrd', 'submit date', 'done date', 'stat', 'err', 'text'];
/** Where a key begins: "userid:" is no id. */
const START = '(?:^|[^a-z0-9_])';
const KNOWN_KEY = `(?:${KEYS.join('|')}):`;
/** Carriers have keys of their own as well. */
const ANY_KEY = '(?:submit |done )?[a-z_]{2,20}:';
/**
 * An id may have any characters, colons and commas included. So it ends at a blank, at a NUL, at the end of the text,
 * or at one comma, semicolon or bar before any of these or a key.
 */
const ID = pattern(`id:\\s*(?!${KNOWN_KEY})([^\\s\\0]+?)(?=[\\s\\0]|$|[,;|](?:[\\s\\0]|$|${ANY_KEY}))`);
const STAT = pattern(word('stat'));
const ERR = pattern(word('err'));
const COUNTS = pattern('(?:sub|dlvrd|submit date|done date):');
const FIRST_KEY = pattern(KNOWN_KEY);

/** @param isMarked whether esm_class says that it is a receipt */
export function readReceiptText(text: string, isMarked: boolean): ReceiptText {
  // A person wrote what follows "text:", and may have written "stat:DELIVRD" too.
  const [head = ''] = text.split(/\btext:/i, 1);
  const isTextFirst = isMarked && head.length < text.length && !FIRST_KEY.test(head);
  return isTextFirst ? readFields(text, last) : readFields(head, first);
}

function readFields(text: string, pick: typeof first): ReceiptText {
  return { id: pick(ID, text), stat: pick(STAT, text), err: pick(ERR, text), hasCounts: COUNTS.test(text) };
}

function first(key: RegExp, text: string): string | undefined {
  return key.exec(text)?.[1];
}

/** Some carriers begin with "text:". What the person wrote then stands before the carrier's keys. */
function last(key: RegExp, text: string): string | undefined {
  return [...text.matchAll(new RegExp(key, 'gi'))].at(-1)?.[1];
}

/** The value is one word, which may stand in quotes. "stat:err:000" has none. */
function word(key: string): string {
  return `${key}:\\s*"?([^\\s\\0":,;|]+)(?![^\\s\\0",;|])`;
}

function pattern(source: string): RegExp {
  return new RegExp(START + source, 'i');
}
