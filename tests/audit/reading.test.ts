/** The audit log read back: INFO FOR AUDIT and INFO FOR AUDIT VERIFY, and who may see what of it. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFileSink } from '../../src/audit/file-sink.js';
import type { Session } from '../../src/session/contract.js';
import { isArray, isObject, type ObjectValue, objectFrom, type Value } from '../../src/value/value.js';
import { answer, run, World } from '../support/world.js';

const KEY = new Uint8Array(32).fill(7);
let folder: string;
let path: string;
let world: World;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-audit-'));
  path = join(folder, 'audit.log');
  await open();
});
afterEach(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(): Promise<void> {
  world = await World.open({ audit: { sink: await openFileSink(path), key: KEY } });
}

async function records(session: Session, clauses = 'LIMIT 1000', variables?: ObjectValue): Promise<ObjectValue[]> {
  const [found] = await run(session, `INFO FOR AUDIT ${clauses}`, variables);
  if (!isArray(found)) throw new TypeError('not a list');
  return found.filter(isObject);
}

async function verdict(): Promise<Value> {
  const [found] = await run(world.owner, 'INFO FOR AUDIT VERIFY');
  return found;
}

const subjects = (found: readonly ObjectValue[]) =>
  found.map(({ action, what }) => (isObject(what) ? `${action} ${what['name']}` : action));

describe('INFO FOR AUDIT', () => {
  test('has the newest first, filtered, page by page, and is recorded itself', async () => {
    await run(world.owner, 'DEFINE TABLE a; DEFINE TABLE b; DEFINE PARAM $c VALUE 1');
    const tables = "WHERE action = 'define' AND what.kind = $kind AND at <= time::now()";
    const table = objectFrom({ kind: 'table' });
    expect(subjects(await records(world.owner, tables, table))).toEqual(['define b', 'define a', 'define user']);
    const [newest] = await records(world.owner, `${tables} LIMIT 1`, table);
    const before = objectFrom({ ...table, sequence: newest?.['sequence'] });
    const older = await records(world.owner, `${tables} AND sequence < $sequence LIMIT 1`, before);
    expect(subjects(older)).toEqual(['define a']);
    const readings = await records(world.owner, "WHERE action = 'audit-read'");
    expect(readings.map(({ what }) => what)).toEqual([{ records: 1 }, { records: 1 }, { records: 3 }]);
  });

  test('reads more lines than fit into one step, each once', async () => {
    const definitions = Array.from({ length: 500 }, (_, at) => `DEFINE PARAM $p${at} VALUE 1`).join(';');
    await run(world.owner, definitions);
    const found = await records(world.owner);
    expect(readFileSync(path).length).toBeGreaterThan(3 * 32 * 1024);
    const numbers = found.map(({ sequence }) => Number(sequence));
    expect(numbers).toEqual(Array.from(numbers, (_, at) => (numbers[0] as number) - at));
    expect(numbers.at(-1)).toBe(1);
    expect(found.some(({ fault }) => fault !== undefined)).toBe(false);
  });

  test('is for owners, each of whom sees what is of their level and below', async () => {
    const everyone = await world.everybody();
    await world.owner.use('test', 'other');
    await run(world.owner, 'DEFINE TABLE elsewhere; DEFINE TABLE a_secret_plan');
    await world.owner.use('test', 'test');
    await run(world.owner, "DEFINE TABLE here; DEFINE USER hidden ON ROOT PASSWORD 'of the root' ROLES VIEWER");
    const claims = { user: 'my password', pass: 'x' };
    const guest = world.guest();
    await guest.use('test', 'test');
    await expect(guest.signIn(objectFrom(claims))).rejects.toMatchObject({ code: 'invalid_auth' });
    await expect(guest.signIn(objectFrom({ NS: 'test', DB: 'test', ...claims, user: 'ann' }))).rejects.toBeDefined();

    const shown = JSON.stringify(await records(everyone.DO));
    expect(shown).toContain('"name":"here"');
    expect(shown).toContain('"user":"ann"');
    for (const hidden of ['elsewhere', 'a_secret_plan', '"hidden"', 'my password', '"RO"', '"NO"'])
      expect(shown, hidden).not.toContain(hidden);
    const ofNamespace = JSON.stringify(await records(everyone.NO));
    expect(ofNamespace).toContain('elsewhere');
    for (const hidden of ['my password', '"hidden"']) expect(ofNamespace, hidden).not.toContain(hidden);
    expect(JSON.stringify(await records(everyone.RO))).toContain('my password');

    for (const name of ['RE', 'RV', 'NE', 'NV', 'DE', 'DV', 'record', 'guest'] as const) {
      for (const clause of ['', ' VERIFY', ' WHERE true LIMIT 0'])
        expect(await answer(everyone[name], `INFO FOR AUDIT${clause}`), name).toMatch(/^not_allowed/);
    }
    for (const name of ['NO', 'DO'] as const)
      expect(await answer(everyone[name], 'INFO FOR AUDIT VERIFY'), name).toMatch(/^not_allowed/);
  });

  test('evaluates no condition of what is hidden, and shows nothing in a view', async () => {
    const owner = await world.systemUser('DO');
    const seen = "WHERE IF what.kind = 'user' AND what.level = 'root' { THROW 'seen' } ELSE { false }";
    await run(world.owner, "DEFINE USER hidden ON ROOT PASSWORD 'of the root' ROLES VIEWER");
    expect(await answer(owner, `INFO FOR AUDIT ${seen}`)).toBe('[]');
    expect(await answer(world.owner, `INFO FOR AUDIT ${seen}`)).toMatch(/^thrown/);
    for (const role of ['viewer', 'editor']) {
      await world.owner.viewAs(objectFrom({ role }));
      expect(await answer(world.owner, 'INFO FOR AUDIT')).toMatch(/^not_allowed/);
      expect(await answer(world.owner, 'INFO FOR SIGNIN ATTEMPTS')).toMatch(/^not_allowed/);
      await world.owner.viewAs(undefined);
    }
  });

  test('says where it can’t be read', async () => {
    const without = await World.open();
    expect(await answer(without.owner, 'INFO FOR AUDIT')).toMatch(/^audit_log_unreadable: .*none is kept/);
    await without.close();
    const unreadable = await World.open({ audit: { sink: { write: () => undefined } } });
    expect(await answer(unreadable.owner, 'INFO FOR AUDIT VERIFY')).toMatch(/^audit_log_unreadable: .*not written/);
    await unreadable.close();
  });

  test.each(['INFO FOR AUDIT LIMIT 1001', 'INFO FOR AUDIT LIMIT -1', 'INFO FOR AUDIT WHERE', 'INFO FOR SIGNIN'])(
    'isn’t %s',
    async (text) => expect(await answer(world.owner, text)).toMatch(/^parse_error/),
  );
});

describe('what was changed', () => {
  const lines = () => readFileSync(path, 'utf8').trimEnd().split('\n');
  const write = (changed: readonly string[]) => writeFileSync(path, `${changed.join('\n')}\n`);

  test('is found by verification, and marked in the list', async () => {
    await run(world.owner, 'DEFINE TABLE a; DEFINE TABLE b');
    const sound = await verdict();
    const hashes = lines().map((line) => JSON.parse(line).hash);
    expect(sound).toMatchObject({ valid: true, head: hashes[Number(isObject(sound) && sound['records']) - 1] });
    const at = lines().findIndex((line) => line.includes('"name":"a"'));
    write(
      lines().map((line, index) => (index === at ? line.replace('"name":"a"', '"fault":"none","name":"z"') : line)),
    );
    expect(await verdict()).toMatchObject({ valid: false, records: at, broken: { line: at + 1 } });
    const faulty = await records(world.owner, "WHERE action = 'define' AND what.kind = 'table' LIMIT 3");
    expect(faulty.map(({ what, fault }) => [isObject(what) && what['name'], fault !== undefined])).toEqual([
      ['b', false],
      ['z', true],
      ['user', false],
    ]);
  });

  test('is found where lines are missing, forged, no records, or endless', async () => {
    await run(world.owner, 'DEFINE TABLE a; DEFINE TABLE b');
    await verdict();
    const whole = lines();
    write(whole.filter((_, at) => at !== 2));
    expect(await verdict()).toMatchObject({ valid: false, broken: { line: 3 } });
    write(whole);
    const forged = '{"action":"define","place":{"namespace":"test","database":"test"},"what":{"name":"forged"}}';
    appendFileSync(path, `${forged}\n{"a":\n[1]\n${'x'.repeat(200_000)}\n${'['.repeat(50_000)}\n`);
    expect(await verdict()).toMatchObject({ valid: false });
    const found = await records(world.owner);
    expect(found.filter(({ fault }) => fault !== undefined)).toHaveLength(5);
    expect(JSON.stringify(found)).not.toContain('xxx');
    const owner = await world.systemUser('DO');
    const ofDatabase = (await records(owner)).filter(({ fault }) => fault !== undefined);
    expect(subjects(ofDatabase)).toEqual(['define forged']);
  });
});
