/** `npm run script -- NAME --update`: what is written in place of what a script expects. */
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';
import { updatedScript } from './update.js';

async function updated(source: string): Promise<string> {
  const database = await openDatabase(await openEngine('memory'));
  const text = await updatedScript(database, source);
  await database.close();
  return text;
}

it('writes results and errors, and keeps what is still so', async () => {
  const source = `-- A script.
RETURN 1;
RETURN 1 + 'a';
--> 2
CREATE a:1;
--ok
CREATE a:2;
RETURN 3;
--> 3
RETURN 1 + 'a';
--ok
--@fails Parse error: another
SELECT * FORM x;

--@fails success
RETURN 4;
--> 4
`;
  const expected = `-- A script.
RETURN 1;
RETURN 1 + 'a';
--> 1
--! Cannot perform addition with '1' and 'a'
CREATE a:1;
--ok
CREATE a:2;
RETURN 3;
--> [{ id: a:2 }]
--> 3
RETURN 1 + 'a';
--! Cannot perform addition with '1' and 'a'
--@fails Parse error: Unexpected token \`an identifier\`, expected FROM
SELECT * FORM x;

RETURN 4;
--> 4
`;
  expect(await updated(source)).toBe(expected);
  expect(await updated(expected)).toBe(expected);
});

it('says which group and which sign-in fails as a whole', async () => {
  expect(await updated('RETURN <;\n--> 1\nRETURN 1;\n--> 1\n')).toBe(
    '--@fails Parse error: Unexpected token `;`, expected a kind name\nRETURN <;\n\nRETURN 1;\n--> 1\n',
  );
  expect(await updated('--@signin {"user":"nobody","pass":"x"}\n')).toMatch(/^--@fails There was .*\n--@signin /);
});
