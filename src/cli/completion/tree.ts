/** Commands and options as completion scripts need them. */
import type { Argument, Command, Option } from 'commander';

export interface CommandEntry {
  /** Its names from the program on: `tessera graphql schema`. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly FlagEntry[];
  /** The values of its first argument; files if it is open. */
  readonly choices: readonly string[];
}

export interface FlagEntry {
  /** `--bind`. */
  readonly long: string;
  /** `-b`. */
  readonly short: string | undefined;
  readonly description: string;
  /** Whether a value follows, and which ones it may be. */
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/** Every command, the program first. */
export function commandEntries(command: Command, above = ''): CommandEntry[] {
  const path = above === '' ? command.name() : `${above} ${command.name()}`;
  const help = command.createHelp();
  const entry: CommandEntry = {
    path,
    commands: help
      .visibleCommands(command)
      .map((below) => ({ name: below.name(), description: firstSentence(below.description()) })),
    flags: help.visibleOptions(command).flatMap(flagEntry),
    choices: command.registeredArguments.flatMap((argument: Argument) => argument.argChoices ?? []),
  };
  return [entry, ...command.commands.flatMap((below) => commandEntries(below, path))];
}

function flagEntry({ long, short, description, required, optional, argChoices }: Option): FlagEntry[] {
  if (long === undefined) return [];
  const takesValue = required || optional;
  return [{ long, short, description: firstSentence(description), takesValue, choices: argChoices ?? [] }];
}

/** Scripts show a line at most. */
function firstSentence(text: string): string {
  return text.split(/[.;:(\n]/, 1)[0]?.trim() ?? '';
}

/** All ways to write a flag. */
export function spellings({ long, short }: FlagEntry): string[] {
  return short === undefined ? [long] : [long, short];
}

/** A text quoted for a shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
