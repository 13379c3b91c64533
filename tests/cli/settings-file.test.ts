/** Settings in a file: what counts before it, what is refused and where, and that the printed file says the same. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { afterAll, describe, expect, it } from 'vitest';
import { addSettingOptions } from '../../src/cli/setting-options.js';
import { ALL_SETTINGS, readConfiguration, SETTINGS } from '../../src/server/configuration.js';
import { optionName, type Setting } from '../../src/server/setting.js';
import { keyOf, readSettingsFile } from '../../src/server/settings-file.js';
import { settingsText } from '../../src/server/settings-text.js';

const folder = mkdtempSync(join(tmpdir(), 'tessera-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string): string {
  const path = join(folder, 'tessera.toml');
  writeFileSync(path, text);
  return path;
}

type Texts = Readonly<Record<string, string>>;

async function read(text: string, environment: Texts = {}, flags: Texts = {}) {
  return readConfiguration((setting) => flags[optionName(setting)], environment, await readSettingsFile(fileOf(text)));
}

describe('a file of settings', () => {
  it('counts behind the command line and the environment', async () => {
    const text = 'bind = "0.0.0.0:1"\nmax-connections = 7\nlog = "warn"\npath = "memory"';
    expect(await read(text)).toMatchObject({
      bind: { port: 1 },
      limits: { connections: 7 },
      log: 'warn',
      path: 'memory',
    });
    expect(await read(text, { SVC_BIND: '0.0.0.0:2' })).toMatchObject({ bind: { port: 2 }, log: 'warn' });
    expect(await read(text, { SURREAL_BIND: '0.0.0.0:3' })).toMatchObject({ bind: { port: 3 } });
    expect(await read(text, { SVC_BIND: '0.0.0.0:2' }, { '--bind': '0.0.0.0:4' })).toMatchObject({ bind: { port: 4 } });
  });

  it('has switches, lists, sizes and times', async () => {
    const text = `
      allow-guests = true
      compress = false # as by default
      "allow-funcs" = [
        "string",
        "math::abs",
      ]
      deny-net = "10.0.0.0/8"
      max-message = "2MiB"
      query-timeout = "5s"
      no-banner = true`;
    expect(await read(text)).toMatchObject({
      allowGuests: true,
      compress: false,
      allowFuncs: ['string', 'math::abs'],
      limits: { message: 2 ** 21 },
      queryTimeout: 5000,
      noBanner: true,
    });
  });

  it('can have every setting', async () => {
    for (const setting of ALL_SETTINGS) expect(keyOf(setting)).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(new Set(ALL_SETTINGS.map(keyOf)).size).toBe(ALL_SETTINGS.length);
    const text = ALL_SETTINGS.filter(({ fallback }) => fallback !== undefined)
      .map((setting) => `${keyOf(setting)} = ${JSON.stringify(setting.fallback)}`)
      .join('\n');
    expect(await read(text)).toEqual({ ...readConfiguration(() => undefined, {}), allowFuncs: 'all', allowNet: [] });
  });

  it.each([
    ['max-conections = 5', ':1: max-conections: there is no such setting; perhaps max-connections is meant'],
    ['\n\n# a comment\nwhatever-this-is = 5', ':4: whatever-this-is: there is no such setting'],
    ['[server]\nbind = "x"', ':1: server: there is no such setting'],
    ['server.bind = "x"', ':1: server: there is no such setting'],
    ['bind = "8000"', ':1: bind: "8000" is not an address'],
    ['import-file = """\nlog = "x"\n"""\nlog = "loud"', ':4: log: "loud" is none of'],
    ['allow-funcs = ["string", "math,time"]', ':1: allow-funcs: no item of a list may have a comma in it'],
    ['max-message = 1.5', ':1: max-message: it must be a text, a whole number, true or false, or a list of texts'],
    ['bind = 1979-05-27', ':1: bind: it must be'],
    ['deny-net = [1]', ':1: deny-net: it must be'],
    ['compress = "perhaps"', ':1: compress: "perhaps" is neither true nor false'],
    ['log = "info"\nlog = "warn"', ':2:'],
    ['log = "info', ':1:'],
    ['config = "other.toml"', ':1: config: there is no such setting'],
  ])('is refused with the line: %j', async (text, message) => {
    await expect(read(text)).rejects.toThrow(`${join(folder, 'tessera.toml')}${message}`);
  });

  it('is refused with all that is wrong', async () => {
    await expect(read('log = "loud"\n\nnothing = 1\nbind = "x"')).rejects.toThrow(
      /:1: log.*\n.*:3: nothing.*\n.*:4: bind/,
    );
  });

  it('is refused where settings need each other', async () => {
    await expect(read('user = "root"')).rejects.toThrow('--user and --pass need each other');
  });
});

describe('the settings in effect', () => {
  const print = (environment: Texts, flags: Texts = {}) =>
    settingsText({ commandLine: (setting) => flags[optionName(setting)], environment, file: undefined });

  it('are printed as a file that means the same', async () => {
    const values: Texts = {
      SVC_BIND: '0.0.0.0:9000',
      SVC_COMPRESS: 'true',
      SVC_MAX_CONNECTIONS: '70',
      SVC_ALLOW_FUNCS: 'string,math::abs',
      SVC_IMPORT_FILE: 'a "b" \\ c\u007f.surql',
      SVC_QUERY_TIMEOUT: '5s',
    };
    const text = print(values, { '--log': 'warn' });
    expect(await read(text)).toEqual(
      readConfiguration(({ flag }) => (flag.includes('--log ') ? 'warn' : undefined), values),
    );
    expect(text).toContain('# Given by SVC_MAX_CONNECTIONS\nmax-connections = 70\n');
    expect(text).toContain('# Given by --log\nlog = "warn"\n');
    expect(text).toContain('# max-message = "16MiB"');
    for (const setting of ALL_SETTINGS) expect(text).toMatch(new RegExp(`^(# )?${keyOf(setting)} =`, 'm'));
  });

  it('are printed without secrets', async () => {
    const text = print({ SVC_USER: 'root', SVC_PASS: 'sesame', SVC_PATH: 'postgres://app:sesame@db/shop' });
    expect(text).not.toContain('sesame');
    expect(text).toContain('# Given by SVC_PASS, and not shown\n# pass =');
    expect(text).toContain('# path = "postgres://app:…@db/shop"');
  });
});

it('every setting is an option of the command line', () => {
  const command = new Command();
  addSettingOptions(command);
  const flags = new Set(command.options.map((option) => option.flags));
  const missing = ALL_SETTINGS.filter(({ flag }: Setting<unknown>) => !flags.has(flag));
  expect(missing).toEqual([SETTINGS.path]);
});

describe('the command', () => {
  const tessera = async (args: readonly string[], environment: Texts = {}) => {
    const env = { PATH: process.env['PATH'], ...environment };
    return promisify(execFile)(process.execPath, ['dist/bin/tessera.js', ...args], { env }).then(
      ({ stdout }) => ({ code: 0, text: stdout }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, text: stderr }),
    );
  };

  it('prints and checks files', async () => {
    const file = fileOf('max-memory = "50%"\nbind = "0.0.0.0:1"');
    const { text } = await tessera(['config', '--config', file, '--log', 'warn', 'memory'], { SVC_BIND: '0.0.0.0:2' });
    expect(text).toContain(`# Given by ${file}:1: max-memory\nmax-memory = "50%"`);
    expect(text).toContain('# Given by SVC_BIND\nbind = "0.0.0.0:2"');
    expect(text).toContain('# Given by --log\nlog = "warn"');
    expect(text).toContain('# Given by path\npath = "memory"');
    const printed = join(folder, 'printed.toml');
    writeFileSync(printed, text);
    expect(await tessera(['config', 'check', printed])).toEqual({ code: 0, text: `${printed}: OK\n` });
    expect(await tessera(['config', 'check', fileOf('log = 1')])).toEqual({
      code: 1,
      text: `tessera: ${file}:1: log: "1" is none of none, error, warn, info, debug, trace, full\n`,
    });
    expect((await tessera(['config', 'check', join(folder, 'none.toml')])).code).toBe(1);
  });

  it.each([
    [['--config', 'FILE'], {}],
    [[], { TESSERA_CONFIG: 'FILE' }],
    [[], { SVC_CONFIG: 'FILE' }],
  ])('stops the start for a wrong file: %j %j', async (args, environment) => {
    const file = fileOf('log = "info"\nbnid = "x"');
    const here = (text: string) => text.replace('FILE', file);
    const entries = Object.entries(environment).map(([name, value]) => [name, here(value)]);
    const { code, text } = await tessera(['start', 'memory', ...args.map(here)], Object.fromEntries(entries) as Texts);
    expect(code).toBe(1);
    expect(text).toBe(`tessera: ${file}:2: bnid: there is no such setting; perhaps bind is meant\n`);
  });
});

describe('a hostile file of settings', () => {
  it('is refused when it is longer than any that is meant', async () => {
    await expect(read(`# ${'x'.repeat(2 ** 18)}`)).rejects.toThrow('it is longer than 262144 characters');
  });

  it('has the first of its problems reported, shortly', async () => {
    const many = Array.from({ length: 2_000 }, (_, at) => `[unknown-${at}]`).join('\n');
    const refused = await read(many).catch((error: Error) => error.message.split('\n'));
    expect(refused).toHaveLength(20);
    await expect(read(`${'k'.repeat(100_000)} = 1`)).rejects.toThrow(/: k{64}: there is no such setting$/);
  });

  it('shows no password, whatever is wrong', async () => {
    const texts = [
      'pass = ["hunter2", 5]',
      'pass = "hunter2',
      'pass = "hunter2"\npass = "hunter2"',
      'pass = { is = "hunter2" }',
      'path = "postgres://user:hunter2@host:99999/x?sslmode=bogus"\nlog = "no"',
    ];
    for (const text of texts) {
      const refused: Error = await read(text).then(
        () => new Error('accepted'),
        (error: Error) => error,
      );
      expect(refused.name).toBe('ConfigurationError');
      expect(refused.message).not.toContain('hunter2');
    }
  });
});
