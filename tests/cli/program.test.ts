import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { bashScript, commandEntries, fishScript, zshScript } from '../../src/cli/completion-command.js';
import { allCommands, readEnvironmentVariables, variablesOf, withOwnNames } from '../../src/cli/flags.js';
import { createProgram } from '../../src/cli/program.js';

const commands = allCommands(createProgram({})).map((command) => [command.name(), command] as const);

describe('every command', () => {
  it.each(commands)('%s has a variable for each of its options', (_name, command) => {
    for (const option of command.options) {
      if (option.long === '--version') continue;
      expect(variablesOf(option)[0], option.flags).toMatch(/^SVC_[A-Z0-9_]+$/);
      expect(command.createHelp().optionDescription(option)).toContain(variablesOf(option)[0]);
    }
  });

  it.each(commands)('%s says what it does, with examples', (_name, command) => {
    expect(command.description()).not.toBe('');
    for (const option of command.options) expect(option.description, option.flags).not.toBe('');
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) });
    command.outputHelp();
    if (command.commands.length === 0) expect(help).toMatch(/Examples?:\n {2}/);
  });
});

describe('options from the environment', () => {
  const sql = (environment: Readonly<Record<string, string>>, ...words: string[]) => {
    const command = createProgram().commands.find((one) => one.name() === 'sql');
    if (command === undefined) throw new Error('there is no sql');
    command.parseOptions(words);
    readEnvironmentVariables(command, environment);
    return command.opts();
  };

  it('count when the command line has none', () => {
    expect(sql({ SVC_NS: 'a', SURREAL_NAMESPACE: 'b' }).ns).toBe('a');
    expect(sql({ SVC_NS: '', SURREAL_NAMESPACE: 'b' }).ns).toBe('b');
    expect(sql({ SVC_NS: 'a' }, '--ns', 'c').ns).toBe('c');
    expect(sql({ SVC_ENDPOINT: 'ws://x' }).endpoint).toBe('ws://x');
  });

  it('are true or false where the option is a switch', () => {
    expect(sql({ SVC_JSON: 'true' }).json).toBe(true);
    expect(sql({ SVC_JSON: 'false' }).json).toBeUndefined();
    expect(sql({ SVC_NO_COLOR: '1' }).color).toBe(false);
    expect(sql({ SVC_NO_COLOR: '0' }).color).toBe(true);
    expect(sql({ SVC_NO_MULTI: 'true' }).multi).toBe(false);
    expect(() => sql({ SVC_JSON: 'maybe' })).toThrow('SVC_JSON: "maybe" is neither true nor false');
    expect(() => sql({ SVC_AUTH_LEVEL: 'moon' })).toThrow('SVC_AUTH_LEVEL: "moon" is none of');
  });

  it('have names that others know them by', () => {
    expect(withOwnNames(['sql', '--username', 'a', '--database=b', '--', '--username'])).toEqual([
      'sql',
      '--user',
      'a',
      '--db=b',
      '--',
      '--username',
    ]);
  });
});

describe('completion scripts', () => {
  const entries = commandEntries(createProgram({}));
  const inBash = (...words: string[]) =>
    execFileSync('bash', ['--norc', '-c', `${bashScript(entries)}\n${ASK}`, 'bash', ...words], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line !== '');
  const ASK = 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tessera; printf "%s\\n" "${COMPREPLY[@]}"';

  it('complete commands, options and values in bash', () => {
    expect(inBash('tessera', 'st')).toEqual(['start']);
    expect(inBash('tessera', 'graphql', '')).toContain('schema');
    expect(inBash('tessera', 'sql', '--pre')).toEqual(['--pretty']);
    expect(inBash('tessera', 'sql', '--json', '--auth-level', 'd')).toEqual(['database', 'db']);
    expect(inBash('tessera', 'start', '--bi')).toEqual(['--bind']);
    expect(inBash('tessera', 'completion', 'z')).toEqual(['zsh']);
    expect(inBash('tessera', 'audit', 'verify', '--key-file', 'package.js')).toEqual(['package.json']);
  });

  it('name every command and option for the other shells', () => {
    const zsh = zshScript(entries);
    const fish = fishScript(entries);
    for (const { path, flags } of entries) {
      expect(zsh).toContain(`'${path}') offered=`);
      expect(fish).toContain(`__tessera_at "${path}"`);
      for (const { long } of flags) {
        expect(zsh).toContain(`'${long}:`);
        expect(fish).toContain(`-l ${long.slice(2)} `);
      }
    }
  });
});
