/** Tabs of documents, each with its editors and answers, and beside them the documentation or the history. */
import type { EditorState } from '@codemirror/state';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, parse, print } from 'graphql';
import { element } from '../element.js';
import type { SignedIn } from '../session.js';
import { Answers } from './answers.js';
import { type DocumentEditor, documentEditor, type Editor, jsonEditor } from './editors.js';
import { addToHistory, history, keepTabs, keptTabs } from './kept-documents.js';
import { ask, operationsIn } from './requests.js';
import { SchemaDocs } from './schema-docs.js';
import { TabBar } from './tab-bar.js';

const WELCOME = `# Ctrl-Space completes, Ctrl-Enter runs, and a click with Ctrl opens the documentation of a name.
# Headers that are written below count before those of the sign-in.
{
  __typename
}
`;

const MOST_TABS = 20;
const PANEL = 'inputs';
/** Characters. */
const LONGEST_NAME = 80;

/** A document with its variables, as they were left, and what it has asked. */
interface Tab {
  document: string | EditorState;
  variables: string | EditorState;
  readonly answers: Answers;
  /** Ends what is running. */
  stop: (() => void) | undefined;
}

export class Workbench {
  readonly #host: HTMLElement;
  readonly #session: SignedIn;
  readonly #expired: () => void;
  readonly #document: DocumentEditor;
  readonly #variables: Editor;
  readonly #headers: Editor;
  readonly #output = element('div', { className: 'output' });
  readonly #docs: SchemaDocs;
  readonly #history = element('ul', {});
  readonly #operation = element('select', { hidden: true });
  readonly #status = element('span', {});
  readonly #run = button('Run', () => (this.#tab.stop === undefined ? this.#start() : this.#tab.stop()));
  readonly #bar = new TabBar({
    panel: PANEL,
    open: (at) => this.#open(this.#tabs[at] ?? this.#tab),
    add: () => this.#add(),
    close: (at) => this.#close(at),
  });
  readonly #tabs: Tab[];
  /** The one that is open. */
  #tab: Tab;
  #stopReading: () => void = () => undefined;

  constructor(host: HTMLElement, session: SignedIn, expired: () => void) {
    this.#host = host;
    this.#session = session;
    this.#expired = expired;
    const [document, variables, headers] = [box('document'), box('variables'), box('headers')];
    const { documents, open } = keptTabs() ?? { documents: [{ document: WELCOME, variables: '' }], open: 0 };
    const { document: text = '', variables: values = '' } = documents[open] ?? {};
    this.#tabs = documents.map(({ document, variables }) => tabOf(document, variables));
    this.#tab = this.#tabs[open] ?? tabOf('', '');
    const shared = { changed: () => this.#changed(), run: () => this.#start() };
    const docs = box('docs');
    this.#docs = new SchemaDocs(docs);
    const aside = [panel('Documentation', docs), panel('History', this.#history)];
    const lookUp = (type: string) => {
      (aside[0] as HTMLDetailsElement).open = true;
      this.#docs.open(type);
    };
    this.#document = documentEditor(document, { label: 'Document', text, ...shared }, lookUp);
    this.#variables = jsonEditor(variables, { label: 'Variables', text: values, ...shared });
    this.#headers = jsonEditor(headers, { label: 'Headers', text: '', ...shared });
    this.#run.className = 'main';
    this.#operation.setAttribute('aria-label', 'Operation');
    const bar = element(
      'div',
      { className: 'bar' },
      this.#run,
      this.#operation,
      button('Prettify', () => this.#prettify()),
      button('Read the schema', () => this.#readSchema()),
      this.#status,
    );
    const inputs = element(
      'div',
      { className: 'inputs', id: PANEL, role: 'tabpanel' },
      document,
      panel('Variables', variables),
      panel('Headers', headers),
    );
    inputs.setAttribute('aria-label', 'Document of the open tab');
    host.replaceChildren(this.#bar.element, bar, inputs, this.#output, element('aside', {}, ...aside));
    this.#showAnswers();
    this.#changed();
    this.#showHistory();
    this.#readSchema();
  }

  close(): void {
    for (const { stop } of this.#tabs) stop?.();
    this.#stopReading();
    for (const editor of [this.#document, this.#variables, this.#headers]) editor.close();
    this.#host.replaceChildren();
  }

  #open(tab: Tab): void {
    this.#leave();
    this.#show(tab);
  }

  /** What is written is kept with the tab. */
  #leave(): void {
    this.#tab.document = this.#document.state;
    this.#tab.variables = this.#variables.state;
  }

  #show(tab: Tab): void {
    this.#tab = tab;
    this.#document.open(tab.document);
    this.#variables.open(tab.variables);
    this.#showAnswers();
    this.#changed();
  }

  #showAnswers(): void {
    const { answers } = this.#tab;
    this.#output.replaceChildren(answers.list);
    this.#status.replaceChildren(answers.status);
    this.#showRunning();
  }

  #add(): void {
    if (this.#tabs.length === MOST_TABS) {
      this.#tab.answers.refuse(`There are ${MOST_TABS} tabs, which is all there may be: close one.`);
      return;
    }
    const tab = tabOf('', '');
    this.#tabs.push(tab);
    this.#open(tab);
    this.#document.focus();
  }

  /** There is always one. */
  #close(at: number): void {
    const [closed] = this.#tabs.splice(at, 1);
    closed?.stop?.();
    if (this.#tabs.length === 0) this.#tabs.push(tabOf('', ''));
    const next = this.#tabs[Math.min(at, this.#tabs.length - 1)];
    if (next !== undefined && closed === this.#tab) this.#show(next);
  }

  #changed(): void {
    const { text } = this.#document;
    this.#leave();
    const documents = this.#tabs.map((tab) => ({ document: textOf(tab.document), variables: textOf(tab.variables) }));
    const open = this.#tabs.indexOf(this.#tab);
    keepTabs({ documents, open });
    this.#bar.show(
      documents.map(({ document }) => nameOf(document)),
      open,
    );
    const names = operationsIn(text).flatMap(({ name }) => (name === undefined ? [] : [name.value]));
    const chosen = this.#operation.value;
    this.#operation.replaceChildren(...names.map((name) => element('option', { value: name }, name)));
    if (names.includes(chosen)) this.#operation.value = chosen;
    this.#operation.hidden = names.length < 2;
  }

  #start(): void {
    const tab = this.#tab;
    const { answers } = tab;
    tab.stop?.();
    const { text: document } = this.#document;
    const variables = this.#objectIn(this.#variables, 'variables');
    const headers = this.#objectIn(this.#headers, 'headers');
    if (variables === undefined || headers === undefined) return;
    addToHistory({ document, variables: this.#variables.text });
    this.#showHistory();
    const operationName = this.#operation.value;
    const request = { query: document, ...(operationName !== '' && { operationName }), variables };
    answers.begin();
    let hasEnded = false;
    const stop = ask(this.#session, request, headers as Record<string, string>, {
      next: (answer) => answers.add(answer),
      ended: (fault) => {
        hasEnded = true;
        answers.end(fault);
        tab.stop = undefined;
        this.#showRunning();
      },
      expired: this.#expired,
    });
    if (!hasEnded) tab.stop = stop;
    this.#showRunning();
  }

  #showRunning(): void {
    this.#run.textContent = this.#tab.stop === undefined ? 'Run' : 'Stop';
  }

  /** The object that is written, an empty one for nothing; `undefined`, which is said, if it isn't one. */
  #objectIn({ text }: Editor, what: string): object | undefined {
    if (text.trim() === '') return {};
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
      this.#tab.answers.refuse(`The ${what} must be an object.`);
    } catch (error) {
      this.#tab.answers.refuse(`The ${what} can't be read: ${(error as Error).message}`);
    }
    return undefined;
  }

  /** Comments would be lost. */
  #prettify(): void {
    const { text } = this.#document;
    if (/^\s*#/m.test(text)) {
      this.#tab.answers.refuse('Comments would be lost: they are in lines that begin with #.');
      return;
    }
    try {
      this.#document.replace(`${print(parse(text))}\n`);
    } catch (error) {
      this.#tab.answers.refuse((error as Error).message);
    }
  }

  #readSchema(): void {
    this.#stopReading();
    const headers = this.#objectIn(this.#headers, 'headers');
    if (headers === undefined) return;
    const query = getIntrospectionQuery({ inputValueDeprecation: true });
    this.#stopReading = ask(this.#session, { query }, headers as Record<string, string>, {
      next: ({ data, errors }) => {
        if (data == null) {
          this.#docs.fail(`The schema can't be read: ${errors?.[0]?.message ?? 'there is none'}`);
          return;
        }
        const schema = buildClientSchema(data as unknown as IntrospectionQuery);
        this.#document.know(schema);
        this.#docs.know(schema);
      },
      ended: (fault) => {
        if (fault !== undefined) this.#docs.fail(`The schema can't be read: ${fault}`);
      },
      expired: this.#expired,
    });
  }

  #showHistory(): void {
    const entries = history().map(({ document, variables }) => {
      const open = button(beginningOf(document), () => {
        this.#document.replace(document);
        this.#variables.replace(variables);
        this.#document.focus();
      });
      open.className = 'link';
      return element('li', {}, open);
    });
    this.#history.replaceChildren(...(entries.length === 0 ? [element('li', {}, 'Nothing was run yet.')] : entries));
  }
}

function tabOf(document: string, variables: string): Tab {
  return { document, variables, answers: new Answers(), stop: undefined };
}

function textOf(written: string | EditorState): string {
  return typeof written === 'string' ? written : written.doc.toString();
}

/** The name of its first operation, or how it begins. */
function nameOf(document: string): string {
  return operationsIn(document).find(({ name }) => name !== undefined)?.name?.value ?? beginningOf(document);
}

/** Without comments, in a line. */
function beginningOf(document: string): string {
  const text = document
    .replace(/^\s*#.*$/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' ? 'Empty' : text.slice(0, LONGEST_NAME);
}

function button(text: string, act: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button' }, text);
  made.addEventListener('click', act);
  return made;
}

function box(className: string): HTMLElement {
  return element('div', { className });
}

function panel(title: string, content: HTMLElement): HTMLDetailsElement {
  return element('details', { open: title === 'Documentation' }, element('summary', {}, title), content);
}
