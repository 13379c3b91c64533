import { type CommandEntry, type FlagEntry, shellQuoted } from './tree.js';

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
