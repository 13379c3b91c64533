/** The examples of `docs/reference/formats.md` are what the codecs write. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';
import { encodeKey } from '../../src/value/codecs/key-codec.js';
import { encodeRecord } from '../../src/value/codecs/record-encode.js';

const page = readFileSync(new URL('../../docs/reference/formats.md', import.meta.url), 'utf8');
const section = page.slice(page.indexOf('### Examples'), page.indexOf('## Change log'));
const rows = [...section.matchAll(/^\| `(.+?)` \| `([0-9a-f ]+)` \| `([0-9a-f ]+)` \|$/gm)];

const hex = (bytes: Buffer) => (bytes.toString('hex').match(/../g) ?? []).join(' ');

it('shows values as they are stored', async () => {
  expect(rows.length).toBeGreaterThan(10);
  const database = await openDatabase(await openEngine('memory'));
  const session = database.ownerSession();
  for (const [, text = '', key, stored] of rows) {
    const [result] = await session.query(`RETURN ${text}`);
    const value = result?.outcome.ok ? result.outcome.value : `no value: ${text}`;
    const bytes = [hex(Buffer.from(encodeKey(value), 'latin1')), hex(Buffer.from(encodeRecord(value)))];
    expect([text, ...bytes]).toEqual([text, key, stored]);
  }
  await database.close();
});
