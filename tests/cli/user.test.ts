/** `tessera user add` in a terminal: the password is asked for twice, and not shown. */
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectAs } from '../../src/cli/client/connection.js';
import { addUser } from '../../src/cli/user.js';
import type { RunningServer } from '../../src/server/server.js';
import { ROOT, startTestServer } from '../support/server.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** Types an answer to each question. Returns what was made and what was on the screen. */
async function add(name: string, answers: readonly string[]): Promise<{ made: string; screen: string }> {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = new PassThrough();
  let screen = '';
  let asked = 0;
  output.on('data', (chunk) => {
    screen += chunk;
    if (/: $/.test(String(chunk))) input.write(`${answers[asked++]}\r`);
  });
  const made = await addUser(
    name,
    {
      ...{ endpoint: server.url, user: ROOT.username, pass: ROOT.password, authLevel: 'root' },
      ...{ role: 'owner', on: 'root' },
    },
    { input, output },
  );
  return { made, screen };
}

it('makes a user with the password that was typed twice, unseen', async () => {
  const { made, screen } = await add('ann', ['a long secret', 'a long secret']);
  expect(made).toBe('Made the owner ann, who signs in with: tessera sql --user ann');
  expect(screen).toBe('Password of ann: \nThe same again: \n');
  const client = await connectAs({ endpoint: server.url, user: 'ann', pass: 'a long secret', authLevel: 'root' });
  client.close();
});

it('makes none where the two differ, or there is none', async () => {
  await expect(add('bob', ['one', 'other'])).rejects.toThrow('The two are not the same');
  await expect(add('bob', [''])).rejects.toThrow('The password must not be empty');
});
