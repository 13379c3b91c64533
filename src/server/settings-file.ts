/**
 * Settings in a file, in TOML: each by the name of its flag without the dashes.
 *
 *     bind = "0.0.0.0:8000"
 *     max-connections = 5000
 *     allow-guests = true
 *     allow-funcs = ["string", "math::abs"]
 */
import { readFile } from 'node:fs/promises';
import { parse, TomlError, type TomlTable } from 'smol-toml';
import { levenshtein } from '../base/levenshtein.js';
import { ALL_SETTINGS, type GivenSetting, type SettingsFile } from './configuration.js';
import { ConfigurationError, optionName, type Setting } from './setting.js';
import { DEV_SETTINGS } from './settings/dev.js';

const BY_KEY: ReadonlyMap<string, Setting<unknown>> = new Map(
  [...ALL_SETTINGS, ...Object.values(DEV_SETTINGS)].map((setting) => [keyOf(setting), setting]),
);

/** The name of a setting in a file: `bind` for `--bind`. */
export function keyOf(setting: Setting<unknown>): string {
  return optionName(setting).replace(/^--/, '');
}

/** Characters of a file: all settings with their descriptions take a tenth of it. */
const LONGEST_FILE = 2 ** 18;
/** Maximum number of reported problems of a file. */
const MOST_PROBLEMS = 20;

/**
 * Reads a file.
 * @throws ConfigurationError for a file that is too long, and with a line for each unknown key and each wrong value;
 * Error of the file system
 */
export async function readSettingsFile(path: string): Promise<SettingsFile> {
  const text = await readFile(path, 'utf8');
  if (text.length > LONGEST_FILE) throw new ConfigurationError(`${path}: it is longer than ${LONGEST_FILE} characters`);
  const lines = new LineFinder(text);
  const given = new Map<Setting<unknown>, GivenSetting>();
  const problems: string[] = [];
  for (const [key, value] of Object.entries(parsed(path, text))) {
    if (problems.length === MOST_PROBLEMS) break;
    const location = `${path}:${lines.of(key)}`;
    try {
      const setting = BY_KEY.get(key);
      if (setting === undefined) throw new Error(unknownKey(key));
      const source = `${location}: ${key}`;
      const textual = textOf(value);
      setting.read(textual);
      given.set(setting, { text: textual, source });
    } catch (error) {
      problems.push(`${location}: ${key.slice(0, LONGEST_SHOWN)}: ${(error as Error).message}`);
    }
  }
  if (problems.length > 0) throw new ConfigurationError(problems.join('\n'));
  return (setting) => given.get(setting);
}

function parsed(path: string, text: string): TomlTable {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first] = error.message.split('\n', 1);
    throw new ConfigurationError(`${path}:${error.line}:${error.column}: ${first}`);
  }
}

/** The value as the environment would have it. @throws Error for values that no setting has */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    if (value.some((item) => item.includes(','))) throw new Error('no item of a list may have a comma in it');
    return value.join(',');
  }
  throw new Error('it must be a text, a whole number, true or false, or a list of texts');
}

/** Characters of a key in an error; longer ones resemble no setting. */
const LONGEST_SHOWN = 64;
/** Maximum edit distance of a suggested name. */
const CLOSE = 3;

function unknownKey(key: string): string {
  const [best] = (key.length > LONGEST_SHOWN ? [] : [...BY_KEY.keys()])
    .map((known) => ({ known, distance: levenshtein([...known], [...key]) }))
    .sort((a, b) => a.distance - b.distance);
  const guess = best !== undefined && best.distance <= CLOSE ? `; perhaps ${best.known} is meant` : '';
  return `there is no such setting${guess}`;
}

/** The parser doesn't say where keys are. */
class LineFinder {
  readonly #lines: readonly string[];

  constructor(text: string) {
    this.#lines = text.split('\n');
  }

  /** The line of a key or of the table with that name, counted from 1. */
  of(key: string): number {
    const at = this.#lines.findIndex((line, index) => this.#names(line, key) && this.#isOutsideOfValues(index));
    return at + 1;
  }

  #names(line: string, key: string): boolean {
    const [, first = ''] = /^\s*\[*\s*("(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+)\s*[.=\]]/.exec(line) ?? [];
    return first === key || first.slice(1, -1) === key;
  }

  /** Whether no text or list of several lines is open where a line begins. */
  #isOutsideOfValues(index: number): boolean {
    try {
      parse(this.#lines.slice(0, index).join('\n'));
      return true;
    } catch {
      return false;
    }
  }
}
