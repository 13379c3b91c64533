/** `tessera completion`: prints a script that makes a shell complete our commands, made from their definitions. */
import { Argument, type Command, type Option } from 'commander';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } satisfies Record<
  string,
  (commands: readonly CommandEntry[]) => string
>;
type Shell = keyof typeof SCRIPTS;

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('Print what makes a shell complete commands and options')
    .addArgument(new Argument('<shell>', 'Which shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
Examples:
  source <(tessera completion bash)                                   in ~/.bashrc
  tessera completion zsh > "\${fpath[1]}/_tessera"
  tessera completion fish > ~/.config/fish/completions/tessera.fish`,
    )
    .action((shell: Shell) => {
      process.stdout.write(SCRIPTS[shell](commandEntries(program)));
    });
}

/** The script for bash, which is done without the package bash-completion. */
export function bashScript(commands: readonly CommandEntry[]): string {
  const steps = commands.slice(1).map(({ path }) => `      ${shellQuoted(path)}) command=${shellQuoted(path)} ;;`);
  const values = commands.flatMap(({ path, flags }) =>
    flags
      .filter(({ takesValue }) => takesValue)
      .map((flag) => {
        const cases = spellings(flag).map((spelling) => shellQuoted(`${path} ${spelling}`));
        const offered = flag.choices.length === 0 ? '-f' : `-W ${shellQuoted(flag.choices.join(' '))}`;
        return `    ${cases.join('|')}) COMPREPLY=($(compgen ${offered} -- "$current")); return ;;`;
      }),
  );
  const words = commands.map(({ path, commands, flags, choices }) => {
    const all = [...commands.map(({ name }) => name), ...choices, ...flags.flatMap(spellings)];
    return `    ${shellQuoted(path)}) words=${shellQuoted(all.join(' '))} ;;`;
  });
  return `# Completion of tessera for bash: source <(tessera completion bash)
_tessera() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command=tessera word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command $word" in
${steps.join('\n')}
    esac
  done
  case "$command $before" in
${values.join('\n')}
  esac
  case "$command" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _tessera tessera
`;
}

/** The script for fish. */
export function fishScript(commands: readonly CommandEntry[]): string {
  const steps = commands
    .slice(1)
    .map(({ path }) => `            case ${fishQuoted(path)}\n                set at ${fishQuoted(path)}`);
  return `# Completion of tessera for fish: tessera completion fish > ~/.config/fish/completions/tessera.fish
function __tessera_at
    set -l at tessera
    for word in (commandline -opc)[2..-1]
        switch "$at $word"
${steps.join('\n')}
        end
    end
    test "$at" = "$argv[1]"
end
${commands.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, commands, flags, choices }: CommandEntry): string[] {
  const begin = `complete -c tessera -n ${shellQuoted(`__tessera_at "${path}"`)}`;
  const described = (description: string) => `-d ${fishQuoted(description)}`;
  return [
    ...commands.map(({ name, description }) => `${begin} -f -a ${name} ${described(description)}`),
    ...(choices.length === 0 ? [] : [`${begin} -f -a ${fishQuoted(choices.join(' '))}`]),
    ...flags.map((flag) => `${begin} ${flagWords(flag)} ${described(flag.description)}`),
  ];
}

function flagWords({ long, short, takesValue, choices }: FlagEntry): string {
  const words = [`-l ${long.slice(2)}`];
  if (short !== undefined) words.unshift(`-s ${short.slice(1)}`);
  if (takesValue) words.push(choices.length === 0 ? '-r' : `-x -a ${fishQuoted(choices.join(' '))}`);
  return words.join(' ');
}

/** In single quotes, where fish knows two escapes. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** The script for zsh, which shows descriptions beside what it offers. */
export function zshScript(commands: readonly CommandEntry[]): string {
  const steps = commands.slice(1).map(({ path }) => `      ${shellQuoted(path)}) at=${shellQuoted(path)} ;;`);
  const values = commands.flatMap(({ path, flags }) =>
    flags
      .filter(({ takesValue }) => takesValue)
      .map((flag) => {
        const cases = spellings(flag).map((spelling) => shellQuoted(`${path} ${spelling}`));
        const offered = flag.choices.length === 0 ? '_files' : `compadd -- ${flag.choices.map(shellQuoted).join(' ')}`;
        return `    ${cases.join('|')}) ${offered}; return ;;`;
      }),
  );
  const words = commands.map(({ path, commands, flags, choices }) => {
    const offered = [
      ...commands.map(({ name, description }) => described(name, description)),
      ...choices.map(shellQuoted),
      ...flags.flatMap((flag) => spellings(flag).map((spelling) => described(spelling, flag.description))),
    ];
    return `    ${shellQuoted(path)}) offered=(${offered.join(' ')}) ;;`;
  });
  return `#compdef tessera
# Completion of tessera for zsh: tessera completion zsh > "\${fpath[1]}/_tessera"
_tessera() {
  local at=tessera word
  local -a offered
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
${steps.join('\n')}
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case "$at" in
${words.join('\n')}
  esac
  _describe 'tessera' offered
  [[ \${words[CURRENT]} == -* ]] || _files
}
if [[ \${funcstack[1]} == _tessera ]]; then _tessera "$@"; else compdef _tessera tessera; fi
`;
}

/** Escapes the colon, which separates word and description. */
function described(word: string, description: string): string {
  return shellQuoted(`${word.replaceAll(':', '\\:')}:${description}`);
}

/** A command as completion scripts need it. */
interface CommandEntry {
  /** Its names from the program on: `tessera graphql schema`. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly FlagEntry[];
  /** The values of its first argument; files if it is open. */
  readonly choices: readonly string[];
}

interface FlagEntry {
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
function spellings({ long, short }: FlagEntry): string[] {
  return short === undefined ? [long] : [long, short];
}

/** A text quoted for a shell. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
