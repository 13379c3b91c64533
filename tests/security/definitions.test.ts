/** Attacks by what definitions name: roles (52), files (61), and names that are printed (63). */
import { afterEach, beforeEach, expect } from 'vitest';
import { objectFrom } from '../../src/value/value.js';
import { answer, answers, run, World } from '../support/world.js';
import { attack } from './attack.js';

let world: World;
beforeEach(async () => {
  world = await World.open();
});
afterEach(() => world.close());

attack(52, 'CVE-2024-58358: gives users roles that are none', async () => {
  for (const roles of ['NONSENSE', 'OWNER, NONSENSE', '', "'OWNER'", 'owner viewer', '$role', 'ROOT']) {
    expect(await answer(world.owner, `DEFINE USER u ON DATABASE PASSWORD 'u' ROLES ${roles}`)).toMatch(/^parse_error/);
  }
  await run(
    world.owner,
    "DEFINE ACCESS j ON DATABASE TYPE JWT ALGORITHM HS256 KEY 'a secret of more than 32 characters'; DEFINE USER plain ON DATABASE PASSWORD 'plain words'",
  );
  const plain = world.guest();
  await plain.signIn(objectFrom({ NS: 'test', DB: 'test', user: 'plain', pass: 'plain words' }));
  expect(await answer(plain, 'DEFINE TABLE x')).toMatch(/^not_allowed/);
});

attack(61, 'CVE-2026-63739: reads files by way of an analyzer', async () => {
  const told = await answers(
    world.owner,
    "DEFINE ANALYZER m TOKENIZERS blank FILTERS mapper('/etc/passwd'); DEFINE TABLE t; DEFINE INDEX i ON t FIELDS n FULLTEXT ANALYZER m; CREATE t SET n = 'root'; SELECT * FROM t WHERE n @@ 'root'; INFO FOR DB",
  );
  expect(told).not.toMatch(/root:|\/bin\//);
});

attack(62, 'reads files through search::analyze', async () => {
  const told = await answers(
    world.owner,
    "DEFINE ANALYZER m TOKENIZERS blank FILTERS mapper('/etc/passwd'); RETURN search::analyze('m', 'root')",
  );
  expect(told).toContain('analyzer_file_denied');
});

attack(63, 'CVE-2025-71392: hides statements in names that are printed', async () => {
  const names = [
    'a`b',
    'a\\`b',
    '`; REMOVE TABLE victim; --',
    '⟩; REMOVE TABLE victim',
    'a\\',
    "'; REMOVE TABLE victim; '",
    'a\nb',
    'a--b',
    '/* a',
    '1',
    'select',
    '',
  ];
  await run(world.owner, 'DEFINE TABLE victim');
  const quoted = (name: string) => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
  for (const name of names) {
    const defined = `DEFINE TABLE ${quoted(name)} PERMISSIONS FULL; DEFINE FIELD ${quoted(name)} ON ${quoted(name)} DEFAULT ${JSON.stringify(name)} COMMENT ${JSON.stringify(name)};
      DEFINE INDEX ${quoted(name)} ON ${quoted(name)} FIELDS ${quoted(name)}; DEFINE EVENT ${quoted(name)} ON ${quoted(name)} THEN {};`;
    const told = await answers(world.owner, defined);
    if (/parse_error/.test(told)) continue;
    const [before] = await run(world.owner, `INFO FOR TABLE ${quoted(name)}`);
    const [tables] = await run(world.owner, 'RETURN object::values((INFO FOR DB).tables)');
    const texts = [
      ...(tables as string[]),
      ...Object.values(before as Record<string, Record<string, string>>).flatMap((each) => Object.values(each)),
    ];
    // What INFO shows defines the same again, and nothing else.
    for (const text of texts) await run(world.owner, text.replace(/^DEFINE (\w+)/, 'DEFINE $1 OVERWRITE'));
    expect([name, (await run(world.owner, `INFO FOR TABLE ${quoted(name)}`))[0]]).toEqual([name, before]);
    expect((await run(world.owner, 'RETURN object::values((INFO FOR DB).tables)'))[0]).toEqual(tables);
  }
  expect(await answer(world.owner, 'RETURN (INFO FOR DB).tables.victim')).toContain('DEFINE TABLE victim');
});
