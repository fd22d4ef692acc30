const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** A batch is three deep. JSON.parse takes 5 ms for 60 KB of brackets. */
const DEPTH_MAX = 32;

const IS_STRUCTURE = new Uint8Array(256);
for (const byte of [QUOTE, COMMA, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE]) IS_STRUCTURE[byte] = 1;

/** An array that is the value of a field of the document. */
export interface FieldArray {
  /** The field's name with its quotes, as it is written: the bytes from `nameBegin` to `nameEnd`. */
  readonly nameBegin: number;
  readonly nameEnd: number;
  /** Where its first entry begins. */
  readonly begin: number;
  /** Where it is closed. */
  end: number;
  /** The commas between its entries. */
  readonly commas: number[];
}

/**
 * Counts the values of a JSON text and finds the entries of its arrays, by brackets, commas and quotes. It is one pass
 * without parsing, and can be made in steps. For a text that is not JSON the results mean nothing.
 */
export class JsonStructure {
  /** A lower bound of the values seen so far, by the commas and brackets outside strings. */
  values = 0;
  /** Whether the document begins like an object. */
  isObject = false;
  /** Whether arrays and objects are nested more deeply than any known field has them. */
  isTooDeep = false;
  readonly arrays: FieldArray[] = [];
  private at = 0;
  private depth = 0;
  private open: FieldArray | undefined;
  private isInString = false;
  private hasEscapes = false;
  /** The last string outside all fields; it is a name if a value follows. */
  private nameBegin = 0;
  private nameEnd = 0;

  constructor(private readonly json: Buffer) {}

  /**
   * Continues up to this byte, or a little further; stops if there are more values than the given number, or they are
   * too deep.
   */
  scan(to: number, valuesMax: number): void {
    const end = Math.min(to, this.json.length);
    while (this.at < end && this.values <= valuesMax && !this.isTooDeep) {
      if (this.isInString) this.passString(end);
      else this.passBytes(end);
    }
  }

  /** Whether the whole text was scanned. */
  get isAtEnd(): boolean {
    return this.at >= this.json.length;
  }

  /** Whether every bracket and every string is closed, as in each JSON text. */
  get isBalanced(): boolean {
    return this.depth === 0 && !this.isInString;
  }

  /** Moves past the next byte of the structure. */
  private passBytes(end: number): void {
    const { json } = this;
    let { at } = this;
    while (at < end && IS_STRUCTURE[json[at] ?? 0] === 0) at += 1;
    this.at = at + 1;
    if (at === end) this.at = end;
    else this.pass(json[at] ?? 0, at);
  }

  private pass(byte: number, at: number): void {
    if (byte === QUOTE) {
      this.isInString = true;
      if (this.depth === 1) this.nameBegin = at;
    } else if (byte === COMMA) {
      this.values += 1;
      if (this.depth === 2) this.open?.commas.push(at);
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      this.values += 1;
      this.depth += 1;
      if (this.depth > DEPTH_MAX) this.isTooDeep = true;
      else if (this.depth === 1) this.isObject = byte === OPEN_BRACE;
      else if (this.depth === 2 && byte === OPEN_BRACKET && this.isObject) this.beginArray(at + 1);
    } else {
      this.depth -= 1;
      if (this.depth === 1) this.endArray(at);
    }
  }

  private beginArray(begin: number): void {
    this.open = { nameBegin: this.nameBegin, nameEnd: this.nameEnd, begin, end: begin, commas: [] };
  }

  private endArray(end: number): void {
    if (this.open === undefined) return;
    this.open.end = end;
    this.arrays.push(this.open);
    this.open = undefined;
  }

  /** Goes byte by byte only if the found quote may be escaped. */
  private passString(end: number): void {
    const { json } = this;
    if (!this.hasEscapes) {
      const quote = json.indexOf(QUOTE, this.at);
      if (quote === -1) this.at = json.length;
      else if (json[quote - 1] === BACKSLASH) this.hasEscapes = true;
      else this.endString(quote + 1);
      return;
    }
    let { at } = this;
    for (; at < end; at += 1) {
      const byte = json[at];
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) {
        this.endString(at + 1);
        return;
      }
    }
    this.at = at;
  }

  private endString(at: number): void {
    this.at = at;
    this.isInString = false;
    this.hasEscapes = false;
    if (this.depth === 1) this.nameEnd = at;
  }
}

/**
 * Why a JSON text is not worth parsing: parsing four megabytes of `{},` takes twenty times as long as four megabytes of
 * messages. Undefined when it may be parsed.
 */
export function faultOfStructure(json: Buffer, valuesMax: number): 'too_many_values' | 'too_deep' | undefined {
  const structure = new JsonStructure(json);
  structure.scan(json.length, valuesMax);
  if (structure.isTooDeep) return 'too_deep';
  return structure.values > valuesMax ? 'too_many_values' : undefined;
}
