/** What USE selects is brought into being by those who may, also where it was there before. */
import { expect, test } from 'vitest';
import { openOwned } from '../support/owned.js';

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

test('a param that might be one of the database needs one', async () => {
  const { database } = await openOwned();
  const session = database.ownerSession();
  const answers = async (text: string) =>
    (await session.query(text)).map(({ outcome }) => {
      if (outcome.ok) return outcome.value;
      return [outcome.error.message, outcome.error.kind, outcome.error.details];
    });
  const missing = (what: 'namespace' | 'database', kind: string) => [
    `Specify a ${what} to use`,
    'Validation',
    { kind },
  ];
  expect(await answers('RETURN $nope; RETURN $parent; SELECT $nope FROM [1]; RETURN false && $nope')).toEqual([
    missing('namespace', 'NamespaceEmpty'),
    missing('namespace', 'NamespaceEmpty'),
    missing('namespace', 'NamespaceEmpty'),
    false,
  ]);
  expect(
    await answers('RETURN $auth; RETURN $this; RETURN $self; LET $a = 1; RETURN $a; SELECT VALUE $this FROM 3'),
  ).toEqual([undefined, undefined, undefined, undefined, 1, [3]]);
  await session.use('some', undefined);
  expect(await answers('RETURN $nope; RETURN $self')).toEqual([missing('database', 'DatabaseEmpty'), undefined]);
  await session.use('some', 'where');
  expect(await answers('RETURN $nope')).toEqual([undefined]);
});
