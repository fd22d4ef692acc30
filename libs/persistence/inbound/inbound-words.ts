import type { Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';
import type { InboundKeyword } from './find-inbound.js';
import { foldWord } from './fold-word.js';

/** A word that opts out, opts in, or asks for help, if it is the whole text of a message. */
export interface InboundWord {
  /** As texts are compared with it: in lower case. */
  readonly word: string;
  readonly action: InboundKeyword;
  /** ISO 639-1; for people, because a word counts whatever language the handset has. */
  readonly language: string;
}

/** By what they do, then by language. */
export function listWords(database: Queryable): Promise<InboundWord[]> {
  return database.query<InboundWord>(
    'select word, action, language from inbound_keyword order by action desc, language, word',
  );
}

/**
 * From now on a message that is this word does this. A word that does something else changes.
 *
 * @throws OperatorError when it is no word of at most 40 characters, or the language is no code of two letters
 */
export async function setWord(database: Queryable, { word, action, language }: InboundWord): Promise<InboundWord> {
  const folded = foldWord(word);
  if (folded === undefined) throw new OperatorError(`"${word}" is not a word of at most 40 characters`);
  if (!/^[a-z]{2}$/.test(language)) throw new OperatorError(`"${language}" is not a language code like en`);
  await database.query(
    `insert into inbound_keyword (word, action, language) values ($1, $2, $3)
     on conflict (word) do update set action = excluded.action, language = excluded.language`,
    [folded, action, language],
  );
  return { word: folded, action, language };
}

/** @throws OperatorError when there is no such word */
export async function removeWord(database: Queryable, word: string): Promise<InboundWord> {
  const [row] = await database.query<InboundWord>(
    'delete from inbound_keyword where word = $1 returning word, action, language',
    [foldWord(word) ?? ''],
  );
  if (row === undefined) throw new OperatorError(`there is no keyword ${word}`, 'missing');
  return row;
}
