import { type CommandEntry, shellQuoted, spellings } from './tree.js';

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
