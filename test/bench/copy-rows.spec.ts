import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { copyRows, copyValue } from '../../tools/bench/copy-yardstick.js';

const COPY = 'copy copied (id, text) from stdin';

describe('the COPY yardstick', () => {
  let client: pg.Client;

  beforeEach(async () => {
    client = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL ?? '' });
    await client.connect();
    await client.query('create temporary table copied (id integer primary key, text text)');
  });

  afterEach(() => client.end());

  test('stores the rows that it was given, whatever they hold', async () => {
    const texts = ['plain', 'a\ttab, a \\ and\r\na line', '\\N', null];
    const rows = texts.map((text, id) => `${id}\t${copyValue(text)}\n`).join('');
    await copyRows(client, COPY, Buffer.from(rows));
    const { rows: stored } = await client.query('select id, text from copied order by id');
    expect(stored).toEqual(texts.map((text, id) => ({ id, text })));
  });

  test('is one transaction: of rows that are refused, none is there, and the next ones are taken', async () => {
    await expect(copyRows(client, COPY, Buffer.from('1\ta\n1\tb\n'))).rejects.toThrow('duplicate key');
    await copyRows(client, COPY, Buffer.from('2\tc\n'));
    expect((await client.query('select id from copied')).rows).toEqual([{ id: 2 }]);
  });
});
