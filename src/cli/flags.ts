/**
 * Common handling of options: other names, and environment variables.
 */
import { type Command, type Help, Option } from 'commander';
import { ConfigurationError, readBoolean } from '../server/setting.js';

/**
 * An option for which the environment may stand in: `SVC_…` by its own name, or the peer's variable of the same
 * meaning.
 */
export class Flag extends Option {
  constructor(
    flags: string,
    description: string,
    readonly peer?: string,
  ) {
    super(flags, description);
  }
}

/** The names that some know an option by. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['--username', '--user'],
  ['--password', '--pass'],
  ['--namespace', '--ns'],
  ['--database', '--db'],
  ['--conn', '--endpoint'],
]);

/** A command line with the names that our options have: `--username=root` is `--user=root`. */
export function withOwnNames(words: readonly string[]): string[] {
  const end = words.indexOf('--');
  return words.map((word, at) => {
    if (end !== -1 && at > end) return word;
    const [name = '', ...value] = word.split('=');
    const own = SYNONYMS.get(name);
    return own === undefined ? word : [own, ...value].join('=');
  });
}

/** Options about the command itself. */
const UNGIVEN: ReadonlySet<string> = new Set(['--help', '--version']);

/** The environment variables of an option, ours first: `['SVC_USER', 'SURREAL_USER']`. */
export function variablesOf(option: Option): string[] {
  if (option.long === undefined || UNGIVEN.has(option.long)) return [];
  const own = option.envVar ?? `SVC_${option.long.slice(2).replaceAll('-', '_').toUpperCase()}`;
  return option instanceof Flag && option.peer !== undefined ? [own, option.peer] : [own];
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads options from the environment unless the command line has them. An empty variable counts as unset.
 * @throws ConfigurationError that names the variable
 */
export function readEnvironmentVariables(command: Command, environment: Environment): void {
  for (const option of command.options) {
    const name = option.attributeName();
    if (!['default', undefined].includes(command.getOptionValueSource(name))) continue;
    const variable = variablesOf(option).find((candidate) => environment[candidate]);
    const text = variable === undefined ? undefined : environment[variable];
    if (variable === undefined || text === undefined) continue;
    try {
      const value = readValue(option, text);
      if (value !== undefined) command.setOptionValueWithSource(name, value, 'env');
    } catch (error) {
      throw new ConfigurationError(`${variable}: ${(error as Error).message}`);
    }
  }
}

/** The value of an option in an environment variable; `undefined` if it changes nothing. */
function readValue(option: Option, text: string): unknown {
  if (option.isBoolean() || option.negate) return readBoolean(text) ? !option.negate : undefined;
  if (option.argChoices !== undefined && !option.argChoices.includes(text)) {
    throw new Error(`"${text}" is none of ${option.argChoices.join(', ')}`);
  }
  return option.parseArg === undefined ? text : option.parseArg(text, undefined);
}

/** How `--help` describes an option: with its choices, its default and its variables. */
export function describeOption(option: Option): string {
  const notes = [
    option.argChoices && `one of ${option.argChoices.join(', ')}`,
    fallbackOf(option),
    variablesOf(option).length > 0 ? `env: ${variablesOf(option).join(', ')}` : undefined,
  ].filter((note) => note !== undefined);
  return notes.length === 0 ? option.description : `${option.description} (${notes.join('; ')})`;
}

function fallbackOf({ defaultValue, defaultValueDescription, negate }: Option): string | undefined {
  const text = defaultValueDescription ?? (typeof defaultValue === 'string' ? defaultValue : undefined);
  return negate || text === undefined || text === '' ? undefined : `default ${text}`;
}

export const HELP: Partial<Help> = { optionDescription: describeOption, showGlobalOptions: false };

/** A command with all below it. */
export function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}
