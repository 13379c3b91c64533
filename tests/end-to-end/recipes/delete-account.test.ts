/** `docs/guides/sign-in/delete-account.md` in a browser, and what is left of an account. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isInTurn } from '../../support/runs-all.js';
import { cleanUp } from '../../support/server-process.js';
import { accessFaults, PLACE, type Recipe, startRecipe } from './recipe.js';

/** With other long tests. */
const inTurn = it.skipIf(!isInTurn(2));

const PASSWORD = 'correct horse battery';
const as = (email: string) => ({ ...PLACE, access: 'account', variables: { email, password: PASSWORD } });

let recipe: Recipe;
beforeAll(async () => {
  recipe = await startRecipe('docs/guides/sign-in/delete-account.md');
});
afterAll(async () => {
  await recipe?.close();
  await cleanUp();
});

inTurn('asks for the password, deletes what is theirs, and ends the other devices', async (test) => {
  const { page, complaints } = await recipe.open(test);
  await page.getByLabel('Mail address').fill('ann@example.com');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign up' }).click();
  const status = page.getByRole('status');
  await expect.poll(() => status.innerText()).toBe('You are signed in as ann@example.com.');
  expect(await accessFaults(page)).toEqual([]);

  const [phone, bob] = [await recipe.device(), await recipe.device()];
  const tokens = await phone.signin(as('ann@example.com'));
  await phone.query('CREATE note:1 SET text = "mine"; CREATE comment:1 SET text = "Nice"');
  await bob.signup(as('bob@example.com'));
  await bob.query('CREATE note:2 SET text = "of Bob"; CREATE comment:2 SET text = "Indeed"');

  await page.getByLabel('Your password').fill('not the password');
  await page.getByRole('button', { name: 'Delete my account' }).click();
  await expect.poll(() => status.innerText()).toBe('The password is wrong.');
  expect(await phone.query('RETURN $auth.email')).toEqual(['ann@example.com']);

  await page.getByLabel('Your password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Delete my account' }).click();
  await expect.poll(() => status.innerText()).toBe('Your account is deleted.');
  expect(complaints).toEqual([]);

  const left = 'SELECT VALUE email FROM user; SELECT VALUE text FROM note; SELECT id, author FROM comment ORDER BY id';
  const [users, notes, comments] = await recipe.sql(left);
  expect([users, notes]).toEqual([['bob@example.com'], ['of Bob']]);
  expect(comments).toEqual([
    { id: 'comment:1', author: null },
    { id: 'comment:2', author: expect.stringMatching(/^user:/) },
  ]);
  await expect(phone.query('RETURN 1')).rejects.toThrow('The session has expired');
  await expect((await recipe.device()).authenticate(tokens)).rejects.toThrow();
  await expect((await recipe.device()).authenticate(tokens.access)).rejects.toThrow();

  // The address is free, and nothing of the first account is the next one's.
  const next = await recipe.device();
  await next.signup(as('ann@example.com'));
  expect(await next.query('SELECT VALUE text FROM note')).toEqual([[]]);
});

inTurn('deletes nothing by an old sign-in, nor another’s account', async () => {
  const eve = await recipe.device();
  await eve.signup(as('eve@example.com'));
  const [[other] = []] = (await recipe.sql('SELECT VALUE id FROM user WHERE email = "bob@example.com"')) as string[][];
  expect(await eve.query(`DELETE ${other} RETURN BEFORE`)).toEqual([[]]);
  // The sign-in is as old as the rule is long.
  await recipe.sql(`ALTER TABLE user PERMISSIONS FOR select WHERE id = $auth
    FOR delete WHERE id = $auth AND $token.auth_time > time::unix() + 300`);
  expect(await eve.query('DELETE $auth RETURN BEFORE')).toEqual([[]]);
  expect(await eve.query('RETURN $auth.email')).toEqual(['eve@example.com']);
});
