/** What USE selects is brought into being by those who may, also where it was there before. */
import { expect, test } from 'vitest';
import { openOwned } from './owned.js';

test('a database that was removed comes into being again when it is selected', async () => {
  const { database } = await openOwned();
  const owner = database.ownerSession();
  const databases = async () => {
    const [info] = await owner.query('INFO FOR NS');
    return info?.outcome.ok === true && Object.keys((info.outcome.value as { databases: object }).databases);
  };
  await owner.use('other', 'shop');
  await owner.use('other', 'shop');
  expect(await databases()).toEqual(['shop']);
  await owner.query('REMOVE DATABASE shop');
  expect(await databases()).toEqual([]);
  await owner.use('other', 'shop');
  expect(await databases()).toEqual(['shop']);
});
