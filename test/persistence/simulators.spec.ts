import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { addCarrier, importTariff, listCarriers, listTariffs, migrateDatabase, placeFirstTariffs } from '#persistence';
import { createTestDatabase } from '../support/database.js';
import { openTestDatabase } from '../support/secrets.js';
import { smppCarrier } from '../support/smpp-carrier.js';

const tariffsDir = fileURLToPath(new URL('../../../data/tariffs', import.meta.url));

test('an upgrade marks the simulator that npm start added, and no other carrier', async () => {
  const { url, drop } = await createTestDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("delete from schema_migration where name = 'Simulators1763900200000'");
  await client.query('alter table carrier drop column simulator');
  const carriers = [
    ['simulator', '127.0.0.1', 'heliograph'],
    ['acme', '127.0.0.1', 'heliograph'],
    ['lab', 'smsc.example', 'simulator'],
  ];
  for (const values of carriers) {
    await client.query(
      "insert into carrier (name, host, port, system_id, password, window_size) values ($1, $2, 2775, $3, 'secret', 10)",
      values,
    );
  }
  // A real one may have taken the name over.
  await client.query("update carrier set removed_at = now() where name = 'simulator'");
  await client.query(
    "insert into carrier (name, host, port, system_id, password, window_size) values ('simulator', 'smsc.example', 2775, 'heliograph', 'x', 10)",
  );
  await migrateDatabase(url);
  const { rows } = await client.query(
    'select name, host, simulator from carrier where carrier_id > 0 order by carrier_id',
  );
  expect(rows.map(({ name, host, simulator }) => [name, host, simulator])).toEqual([
    ['simulator', '127.0.0.1', true],
    ['acme', '127.0.0.1', false],
    ['lab', 'smsc.example', false],
    ['simulator', 'smsc.example', false],
  ]);
  await client.end();
  await drop();
});

test('a database without any tariff gets the default ones, and one that has its own gets none', async () => {
  const [none, own] = [await createTestDatabase(), await createTestDatabase()];
  const [empty, database] = [await openTestDatabase(none.url), await openTestDatabase(own.url)];
  expect(await placeFirstTariffs(empty, tariffsDir)).toBe(true);
  expect((await listTariffs(empty)).map(({ name }) => name)).toEqual(['default-eur', 'default-gbp', 'default-usd']);
  await importTariff(database, { name: 'flat', currency: 'SEK', rates: [{ prefix: '46', price: 1n }] });
  expect(await placeFirstTariffs(database, tariffsDir)).toBe(false);
  expect(await listTariffs(database)).toHaveLength(1);
  await Promise.all([empty.close(), database.close()]);
  await Promise.all([none.drop(), own.drop()]);
});

test('a carrier is added as a real one that takes messages, unless told otherwise', async () => {
  const { url, drop } = await createTestDatabase();
  const database = await openTestDatabase(url);
  await addCarrier(database, smppCarrier());
  await addCarrier(database, smppCarrier({ name: 'lab', simulator: true, paused: true }));
  expect(await listCarriers(database)).toMatchObject([
    { name: 'acme', simulator: false, paused: false },
    { name: 'lab', simulator: true, paused: true },
  ]);
  await database.close();
  await drop();
});
