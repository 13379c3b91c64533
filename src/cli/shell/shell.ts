/** `tessera sql` in a terminal: reads lines, runs their statements, and prints the results. */
import { clearLine, createInterface, cursorTo, type Interface } from 'node:readline';
import { realEnvironment } from '../../env/real.js';
import { isArray, type ObjectValue, type Value } from '../../value/value.js';
import { OWN_VERSION } from '../version.js';
import { complete } from './completion.js';
import { HISTORY_SIZE, type History, historyEntries } from './history.js';
import { HistorySearch } from './history-search.js';
import { type KeySource, Keys, type KeyTaker } from './keys.js';
import { META_NAMES, readMeta, type ShellActions } from './meta.js';
import { isLongerThan, type Pager, page } from './pager.js';
import { formatValue } from './print.js';
import { SchemaNames } from './schema-names.js';
import type { ShellSession } from './shell-session.js';
import { InputBuffer, type OpenConstruct, readStatements } from './statements.js';
import { escapeControls, paint, type Style } from './style.js';

export interface ShellOptions {
  readonly style: Style;
  readonly history: History;
  readonly endpoint: string;
  /** Whether a statement ends at its semicolon only, rather than at the end of a line without open parts. */
  readonly multi: boolean;
  readonly hideWelcome: boolean;
  /** The pager for results that are longer than the terminal. */
  readonly pager: Pager | undefined;
}

export interface ShellStreams {
  readonly input: KeySource;
  readonly output: NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };
}

/** Notifications of live queries that wait for the pager to end; older ones are dropped. */
const MOST_HELD = 1_000;

/** The prompt marks of continuation lines, as in psql. */
const MARKS: Readonly<Record<OpenConstruct, string>> = {
  string: "'",
  name: '`',
  comment: '*',
  bracket: '(',
  statement: '-',
};

export class Shell implements ShellActions {
  isTimed = true;
  isTabular: boolean;
  isPaged: boolean;
  readonly #session: ShellSession;
  readonly #options: ShellOptions;
  readonly #output: ShellStreams['output'];
  readonly #keys: Keys;
  readonly #lines: Interface;
  readonly #catalog: SchemaNames;
  readonly #left: Promise<void>;
  /** The lines of an incomplete statement. */
  #typed = new InputBuffer();
  /** The delimiter that is still open in it. */
  #open: OpenConstruct | undefined;
  /** The history of the arrow keys, newest first; readline's own. */
  #recalled: string[];
  /** Lines that came while a statement ran. */
  readonly #waiting: string[] = [];
  #isRunning = false;
  #isAbandoned = false;
  #hasLeft = false;
  /** Notifications of live queries while the pager had the terminal. */
  #held: string[] | undefined;

  constructor(session: ShellSession, options: ShellOptions, { input, output }: ShellStreams) {
    this.#session = session;
    this.#options = options;
    this.isTabular = options.style.table;
    this.isPaged = options.pager !== undefined;
    this.#output = output;
    this.#catalog = new SchemaNames((statement) => session.ask(statement), realEnvironment.timers);
    this.#recalled = options.history.load();
    this.#keys = new Keys(input, () => this.#search());
    this.#lines = createInterface({
      input: this.#keys,
      output,
      terminal: true,
      history: this.#recalled,
      historySize: HISTORY_SIZE,
      removeHistoryDuplicates: true,
      completer: (line: string, answer: (error: null, completion: [string[], string]) => void) => {
        void this.#complete(line).then((completion) => answer(null, completion));
      },
    });
    this.#lines.on('line', (line) => {
      this.#waiting.push(line);
      void this.#readWaiting();
    });
    this.#lines.on('history', (recalled) => {
      this.#recalled = recalled;
    });
    this.#lines.on('SIGINT', () => this.#interrupt());
    this.#left = new Promise((resolve) => this.#lines.once('close', resolve));
  }

  /** Until the user leaves. */
  async run(): Promise<void> {
    if (!this.#options.hideWelcome) {
      this.print(`${OWN_VERSION}, connected to ${this.#options.endpoint}`);
      this.print('A statement ends with ";". \\? lists commands, \\q leaves.');
    }
    this.#prompt();
    await this.#left;
    if (!this.#hasLeft) this.#output.write('\n');
    this.#hasLeft = true;
    this.#keys.stop();
    this.#session.close();
  }

  get place(): string {
    return this.#session.place;
  }

  print(text: string): void {
    this.#output.write(`${escapeControls(this.#options.style, text)}\n`);
  }

  complain(text: string): void {
    const { style } = this.#options;
    this.#output.write(`${paint(style, 'error', escapeControls(style, text.trimEnd()))}\n`);
  }

  quit(): void {
    this.#hasLeft = true;
    this.#lines.close();
  }

  async value(statement: string): Promise<Value> {
    const outcome = await this.#session.run(statement);
    if (outcome.ok) return outcome.value;
    this.complain(outcome.error);
    return undefined;
  }

  async runAll(text: string): Promise<void> {
    const { statements, rest } = readStatements(text);
    for (const statement of rest === '' ? statements : [...statements, rest]) {
      if (this.#isAbandoned || !(await this.#runOne(statement))) return;
    }
  }

  /** A notification of a live query is printed between the lines. */
  show(notification: ObjectValue): void {
    if (this.#hasLeft) return;
    const style = this.#style;
    const what = `${String(notification.action)} ${formatValue(notification.result, style)}`;
    const text = `${paint(style, 'dim', 'live')} ${what}\n`;
    if (this.#held !== undefined) {
      if (this.#held.push(text) > MOST_HELD) this.#held.shift();
      return;
    }
    clearLine(this.#output, 0);
    cursorTo(this.#output, 0);
    this.#output.write(text);
    if (!this.#isRunning) this.#lines.prompt(true);
  }

  /** One line after the other, however fast they come. */
  async #readWaiting(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#isAbandoned = false;
    for (let line = this.#waiting.shift(); line !== undefined && !this.#hasLeft; line = this.#waiting.shift()) {
      await this.#read(line);
    }
    this.#isRunning = false;
    if (!this.#hasLeft) this.#prompt();
  }

  async #read(line: string): Promise<void> {
    const meta = this.#typed.isEmpty ? readMeta(line) : undefined;
    if (meta !== undefined) return meta(this);
    if (this.#typed.isEmpty && line.trim() === '') return;
    this.#open = this.#typed.add(line);
    if (this.#open !== undefined && (this.#open !== 'statement' || this.#options.multi)) return;
    const { text } = this.#typed;
    this.#remember(text);
    this.#forget();
    await this.runAll(text);
  }

  #forget(): void {
    this.#typed = new InputBuffer();
    this.#open = undefined;
  }

  /** What was typed comes back as one entry, if it may come back at all. */
  #remember(text: string): void {
    const entries = historyEntries(text);
    for (const line of text.split('\n').toReversed()) if (this.#recalled[0] === line) this.#recalled.shift();
    this.#recalled.unshift(...entries.toReversed());
    this.#options.history.add(entries);
  }

  /** Whether the next statement may run. */
  async #runOne(statement: string): Promise<boolean> {
    const style = this.#style;
    const outcome = await this.#session.run(statement);
    this.#catalog.outdate(statement);
    if (this.#isAbandoned) return false;
    if (outcome.ok) await this.#present(formatValue(outcome.value, style));
    else this.complain(outcome.error);
    if (this.isTimed && outcome.time !== undefined) {
      const rows = outcome.ok && isArray(outcome.value) ? `${outcome.value.length} in ` : '';
      this.#output.write(`${paint(style, 'dim', `-- ${rows}${rounded(outcome.time)}`)}\n`);
    }
    return outcome.ok;
  }

  async #complete(line: string): Promise<[string[], string]> {
    try {
      const before = this.#typed.text;
      const [candidates, word] = await complete(line, before, this.#catalog, this.#session.variables, META_NAMES);
      return [candidates, word];
    } catch {
      return [[], line];
    }
  }

  /** Ctrl-C gives up what is running, or what was typed. */
  #interrupt(): void {
    this.#output.write('^C\n');
    this.#waiting.length = 0;
    this.#forget();
    if (this.#isRunning) {
      this.#isAbandoned = true;
      this.#session.abandon();
      this.complain('The statement was given up');
      return;
    }
    this.#setLine('');
    this.#prompt();
  }

  /** A result, in the pager if it is longer than the terminal. */
  async #present(text: string): Promise<void> {
    const { pager } = this.#options;
    const { rows } = this.#output;
    const { isTerminal, width } = this.#style;
    if (this.isPaged && pager !== undefined && isTerminal && rows && isLongerThan(text, rows, width)) {
      this.#held = [];
      const isShown = await this.#keys.lend(() => page(text, pager, process.env));
      const held = this.#held;
      this.#held = undefined;
      for (const each of held) this.#output.write(each);
      if (isShown) return;
    }
    this.#output.write(`${text}\n`);
  }

  /** Ctrl-R. What is found stands in the line, behind a prompt of its own. */
  #search(): KeyTaker {
    if (this.#isRunning) return (keys) => keys;
    const search = new HistorySearch(this.#recalled);
    const { line } = this.#lines;
    const show = () => {
      this.#lines.setPrompt(`(${search.hasFailed ? 'failed ' : ''}reverse-i-search)'${search.query}': `);
      this.#setLine(search.match ?? line);
    };
    show();
    return (keys) => {
      const step = search.type(keys);
      if (step.kind === 'show') {
        show();
        return undefined;
      }
      this.#setLine(step.kind === 'cancel' ? line : (search.match ?? line));
      this.#prompt(true);
      return step.rest;
    };
  }

  #setLine(text: string): void {
    // To the end of the line, and away with all before it.
    this.#lines.write(null, { ctrl: true, name: 'e' });
    this.#lines.write(null, { ctrl: true, name: 'u' });
    if (text !== '') this.#lines.write(text);
  }

  /** The style as it is now: a terminal may be made wider. */
  get #style(): Style {
    const { style } = this.#options;
    return { ...style, table: this.isTabular, width: this.#output.columns || style.width };
  }

  #prompt(preserveCursor = false): void {
    const mark = this.#open === undefined ? '' : MARKS[this.#open];
    this.#lines.setPrompt(
      `${escapeControls(this.#options.style, this.place)}${this.#session.isInTransaction ? '*' : ''}${mark}> `,
    );
    this.#lines.prompt(preserveCursor);
  }
}

/** `14.159378ms` is known no better than `14.15ms`. */
function rounded(time: string): string {
  return time.replace(/(\.\d\d)\d+/, '$1');
}
