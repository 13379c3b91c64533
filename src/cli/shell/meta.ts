/** Commands of the shell itself, as psql has them: `\d person`. */
import { readFile } from 'node:fs/promises';
import { escapeName } from '../../value/text/quote.js';
import { isObject, type Value } from '../../value/value.js';

/** The interface of the shell for meta commands. */
export interface ShellActions {
  readonly place: string;
  isTimed: boolean;
  isTabular: boolean;
  isPaged: boolean;
  print(text: string): void;
  complain(text: string): void;
  /** Runs statements and prints their results. */
  runAll(text: string): Promise<void>;
  /** Gives the value of a statement, or prints why there is none. */
  value(statement: string): Promise<Value>;
  quit(): void;
}

interface MetaCommand {
  /** `\d [table]`. */
  readonly usage: string;
  readonly help: string;
  run(shell: ShellActions, argument: string): Promise<void> | void;
}

const COMMANDS: Readonly<Record<string, MetaCommand>> = {
  '\\?': {
    usage: '\\?',
    help: 'this list',
    run: (shell) => shell.print(metaHelp()),
  },
  '\\c': {
    usage: '\\c NS/DB',
    help: 'use a namespace and a database',
    run: (shell, argument) => {
      const [namespace, database] = argument.split('/');
      if (!namespace) return shell.print(shell.place);
      const use = [`NS ${escapeName(namespace)}`, ...(database ? [`DB ${escapeName(database)}`] : [])];
      return shell.runAll(`USE ${use.join(' ')};`);
    },
  },
  '\\d': {
    usage: '\\d [TABLE]',
    help: 'tables, or what a table has',
    run: (shell, argument) =>
      argument === ''
        ? show(shell, 'INFO FOR DB', ['tables'])
        : show(shell, `INFO FOR TABLE ${escapeName(argument)}`, ['fields', 'indexes', 'events', 'tables', 'lives']),
  },
  '\\df': { usage: '\\df', help: 'functions', run: (shell) => show(shell, 'INFO FOR DB', ['functions']) },
  '\\dp': { usage: '\\dp', help: 'params', run: (shell) => show(shell, 'INFO FOR DB', ['params']) },
  '\\da': {
    usage: '\\da',
    help: 'access methods and users of the database',
    run: (shell) => show(shell, 'INFO FOR DB', ['accesses', 'users']),
  },
  '\\l': {
    usage: '\\l',
    help: 'namespaces, and the databases of the one in use',
    run: async (shell) => {
      await show(shell, 'INFO FOR ROOT', ['namespaces']);
      if (!shell.place.startsWith('/')) await show(shell, 'INFO FOR NS', ['databases']);
    },
  },
  '\\i': {
    usage: '\\i FILE',
    help: 'run the statements of a file',
    run: async (shell, argument) => {
      try {
        await shell.runAll(await readFile(argument, 'utf8'));
      } catch (error) {
        shell.complain((error as Error).message);
      }
    },
  },
  '\\table': {
    usage: '\\table',
    help: 'show lists of objects as tables, or stop it',
    run: (shell) => {
      shell.isTabular = !shell.isTabular;
      shell.print(`Tables are ${shell.isTabular ? 'on' : 'off'}`);
    },
  },
  '\\pager': {
    usage: '\\pager',
    help: 'show long results page by page, or stop it',
    run: (shell) => {
      shell.isPaged = !shell.isPaged;
      shell.print(`The pager is ${shell.isPaged ? 'on' : 'off'}`);
    },
  },
  '\\timing': {
    usage: '\\timing',
    help: 'show how long statements take, or stop it',
    run: (shell) => {
      shell.isTimed = !shell.isTimed;
      shell.print(`Timing is ${shell.isTimed ? 'on' : 'off'}`);
    },
  },
  '\\q': { usage: '\\q', help: 'leave, as does Ctrl-D', run: (shell) => shell.quit() },
};

/** Commands known from other shells. */
const WORDS: Readonly<Record<string, string>> = {
  exit: '\\q',
  quit: '\\q',
  help: '\\?',
  '\\h': '\\?',
  '\\dt': '\\d',
  '\\use': '\\c',
};

export const META_NAMES: readonly string[] = Object.keys(COMMANDS);

/** The meta command of a line; `undefined` if it is a statement. */
export function readMeta(line: string): ((shell: ShellActions) => Promise<void> | void) | undefined {
  const [, typed = '', argument = ''] = /^(\S+)\s*(.*?)[\s;]*$/.exec(line.trim().replace(/;$/, '')) ?? [];
  const name = (Object.hasOwn(WORDS, typed.toLowerCase()) && WORDS[typed.toLowerCase()]) || typed;
  // A field or a param may be called help; alone it is no statement.
  if (!name.startsWith('\\') || (name !== typed && !typed.startsWith('\\') && argument !== '')) return undefined;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) return (shell) => shell.complain(`There is no command ${name}. \\? lists all`);
  return (shell) => command.run(shell, argument);
}

function metaHelp(): string {
  const rows = Object.values(COMMANDS).map(({ usage, help }) => `  ${usage.padEnd(12)}${help}`);
  return `${rows.join('\n')}\nA statement goes on until its ;. Ctrl-C gives it up, Tab completes.`;
}

/** Prints the definitions in an INFO result, one per line under their kind. */
async function show(shell: ShellActions, statement: string, kinds: readonly string[]): Promise<void> {
  const info = await shell.value(statement);
  if (!isObject(info)) return;
  const sections = kinds.flatMap((kind) => {
    const entries = info[kind];
    if (!isObject(entries) || Object.keys(entries).length === 0) return [];
    return [`${kind}:`, ...Object.values(entries).map((text) => `  ${String(text)}`)];
  });
  shell.print(sections.length === 0 ? `No ${kinds.join(', ')}` : sections.join('\n'));
}
