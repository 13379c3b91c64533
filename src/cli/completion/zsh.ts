import { type CommandEntry, shellQuoted, spellings } from './tree.js';

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
