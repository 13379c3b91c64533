/**
 * Runs every script of this folder in ways that must not matter: in memory and in one other way, which differs from commit to commit, or in
 * all of them with `npm run test:all`.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { rulesWithout } from '../../src/plan/rewrite.js';
import type { RuleName } from '../../src/plan/rules/rule.js';
import { openDatabase } from '../../src/session/database/database.js';
import type { DatabaseOptions } from '../../src/session/database/options.js';
import { shareFolder, type WorkerGroup } from '../../src/storage/lmdb/shared/open.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { openEngine } from '../../src/storage/open/open.js';
import { decodeCbor } from '../../src/value/codecs/cbor-decode.js';
import { encodeCbor } from '../../src/value/codecs/cbor-encode.js';
import { DEFAULT_DECODE_LIMITS } from '../../src/value/nesting.js';
import type { Value } from '../../src/value/value.js';
import { LateEngine, Lateness, seeded } from '../support/late-engine.js';
import { planWithOtherLiterals } from '../support/other-literals.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';
import { drawn, RUNS_ALL } from '../support/runs-all.js';
import { optionsOf, runScript } from './script.js';
import { updatedScript } from './update.js';

const FOLDER = 'tests/scripts';
/** Names, or parts of them, of the scripts to run. Default: all (`npm run script`). */
const named = process.env['SCRIPTS']?.split(',') ?? [''];
const scripts = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.surql') && named.some((part) => name.includes(part)),
);
/** A folder for scripts with what they answer now, where that isn't what they expect. */
const updates = process.env['SCRIPTS_UPDATE'];

let server: PostgresServer | undefined;
let schemas = 0;
afterAll(() => server?.remove());

type Work<T> = (address: string, group?: WorkerGroup) => Promise<T>;

async function onEngine<T>(kind: NonNullable<Way['engine']>, work: Work<T>): Promise<T> {
  if (kind === 'memory') return work('memory');
  if (kind === 'postgres') {
    server ??= await PostgresServer.start();
    return work(server.address(`script_${schemas++}`));
  }
  const folder = mkdtempSync(join(tmpdir(), 'tessera-script-'));
  try {
    if (kind === 'lmdb') return await work(folder);
    await (await openEngine(folder)).close();
    const unlock = await shareFolder(folder);
    return await work(folder, { owner: process.pid, size: 1 }).finally(unlock);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Way {
  readonly engine?: 'memory' | 'lmdb' | 'shared lmdb' | 'postgres';
  readonly tuning?: DatabaseOptions['tuning'];
  readonly wire?: (value: Value) => Value;
  readonly isLate?: boolean;
  /** Whether each statement is planned before, with other literals. */
  readonly planned?: boolean;
}

/** The ways in which every script must give the same answers. */
const WAYS: Readonly<Record<string, Way>> = {
  'in memory': {},
  // Every value is encoded and decoded on its way.
  'on disk': { engine: 'lmdb' },
  'by a worker': { engine: 'shared lmdb' },
  'without rules': { tuning: { rules: new Set<RuleName>() } },
  'record by record': { tuning: { batch: 1 } },
  // Each answer of the store comes later, some after those that were asked for behind them.
  'from a late store': { isLate: true },
  'with the plans of other literals': { tuning: { plansAtOnce: true }, planned: true },
  // Left out where it isn't installed.
  ...(postgresPrograms() !== undefined && { 'on PostgreSQL': { engine: 'postgres' } as const }),
  'through CBOR': { wire: (value) => decodeCbor(encodeCbor(value), DEFAULT_DECODE_LIMITS) },
};

/** Rules that are switched off by hand: `RULES_OFF=index-scan,top-n npx vitest run tests/scripts`. */
const off = process.env['RULES_OFF']?.split(',') as RuleName[] | undefined;

const [FIRST = '', ...OTHERS] = Object.keys(WAYS);

const LATENESS_SEED = Number(process.env['LATENESS_SEED'] ?? drawn(''));

function isDrawn(way: string, name: string): boolean {
  if (RUNS_ALL || way === FIRST) return true;
  return OTHERS[drawn(name) % OTHERS.length] === way;
}

/** What is shown of plans holds with the rules only that make them. */
function scriptsFor(way: string, { rules }: NonNullable<Way['tuning']>): string[] {
  return scripts.filter((name) => isDrawn(way, name) && (rules === undefined || !name.startsWith('explain')));
}

const chosen: Readonly<Record<string, Way>> =
  off === undefined ? WAYS : { [FIRST]: { tuning: { rules: rulesWithout(off) } } };

const update = updates === undefined ? undefined : join(updates, FOLDER);
if (update !== undefined) {
  test.each(scripts)('%s as it answers now', async (name) => {
    const source = readFileSync(join(FOLDER, name), 'utf8');
    const database = await openDatabase(await openEngine('memory'), optionsOf(source));
    const updated = await updatedScript(database, source);
    await database.close();
    if (updated === source) return;
    mkdirSync(dirname(join(update, name)), { recursive: true });
    writeFileSync(join(update, name), updated);
  });
}

const ways = Object.entries(chosen).filter(([way, { tuning = {} }]) => scriptsFor(way, tuning).length > 0);

describe.each(update === undefined ? ways : [])(
  '%s',
  (way, { engine = 'memory', tuning = {}, wire, planned, isLate }) => {
    test.each(scriptsFor(way, tuning))('%s', async (name) => {
      await onEngine(engine, async (address, group) => {
        const source = readFileSync(join(FOLDER, name), 'utf8');
        const store = isLate
          ? new LateEngine(new MemoryEngine(), new Lateness(3, seeded(LATENESS_SEED)))
          : await openEngine(address, { sync: 'never', group });
        const database = await openDatabase(store, { ...optionsOf(source), tuning });
        const before = planned ? (text: string) => planWithOtherLiterals(database.statements, text) : undefined;
        const differences = await runScript(database, source, { wire, before });
        await database.close();
        expect(differences, isLate ? `seed ${LATENESS_SEED}` : undefined).toEqual([]);
      });
    });
  },
);
