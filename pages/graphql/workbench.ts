/** The editors, the answers, and beside them the documentation or the history. */
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, parse, print } from 'graphql';
import { element } from '../element.js';
import type { SignedIn } from '../session.js';
import { Answers } from './answers.js';
import { type DocumentEditor, documentEditor, type Editor, jsonEditor } from './editors.js';
import { addToHistory, history, keepWritten, written } from './kept-documents.js';
import { ask, operationsIn } from './requests.js';
import { SchemaDocs } from './schema-docs.js';

const WELCOME = `# Ctrl-Space completes, Ctrl-Enter runs, and a click with Ctrl opens the documentation of a name.
# Headers that are written below count before those of the sign-in.
{
  __typename
}
`;

export class Workbench {
  readonly #host: HTMLElement;
  readonly #session: SignedIn;
  readonly #expired: () => void;
  readonly #document: DocumentEditor;
  readonly #variables: Editor;
  readonly #headers: Editor;
  readonly #answers = new Answers();
  readonly #docs: SchemaDocs;
  readonly #history = element('ul', {});
  readonly #operation = element('select', { hidden: true });
  readonly #run = button('Run', () => (this.#stop === undefined ? this.#start() : this.#stop()));
  /** Ends what is running. */
  #stop: (() => void) | undefined;
  #stopReading: () => void = () => undefined;

  constructor(host: HTMLElement, session: SignedIn, expired: () => void) {
    this.#host = host;
    this.#session = session;
    this.#expired = expired;
    const [document, variables, headers] = [box('document'), box('variables'), box('headers')];
    const kept = written();
    const shared = { changed: () => this.#changed(), run: () => this.#start() };
    const docs = box('docs');
    this.#docs = new SchemaDocs(docs);
    const aside = [panel('Documentation', docs), panel('History', this.#history)];
    const lookUp = (type: string) => {
      (aside[0] as HTMLDetailsElement).open = true;
      this.#docs.open(type);
    };
    const text = kept?.document ?? WELCOME;
    this.#document = documentEditor(document, { label: 'Document', text, ...shared }, lookUp);
    this.#variables = jsonEditor(variables, { label: 'Variables', text: kept?.variables ?? '', ...shared });
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
      this.#answers.status,
    );
    const inputs = element(
      'div',
      { className: 'inputs' },
      document,
      panel('Variables', variables),
      panel('Headers', headers),
    );
    host.replaceChildren(bar, inputs, this.#answers.list, element('aside', {}, ...aside));
    this.#changed();
    this.#showHistory();
    this.#readSchema();
  }

  close(): void {
    this.#stop?.();
    this.#stopReading();
    for (const editor of [this.#document, this.#variables, this.#headers]) editor.close();
    this.#host.replaceChildren();
  }

  #changed(): void {
    const { text } = this.#document;
    keepWritten({ document: text, variables: this.#variables.text });
    const names = operationsIn(text).flatMap(({ name }) => (name === undefined ? [] : [name.value]));
    const chosen = this.#operation.value;
    this.#operation.replaceChildren(...names.map((name) => element('option', { value: name }, name)));
    if (names.includes(chosen)) this.#operation.value = chosen;
    this.#operation.hidden = names.length < 2;
  }

  #start(): void {
    this.#stop?.();
    const { text: document } = this.#document;
    const variables = this.#objectIn(this.#variables, 'variables');
    const headers = this.#objectIn(this.#headers, 'headers');
    if (variables === undefined || headers === undefined) return;
    addToHistory({ document, variables: this.#variables.text });
    this.#showHistory();
    const operationName = this.#operation.value;
    const request = { query: document, ...(operationName !== '' && { operationName }), variables };
    this.#answers.begin();
    let hasEnded = false;
    const stop = ask(this.#session, request, headers as Record<string, string>, {
      next: (answer) => this.#answers.add(answer),
      ended: (fault) => {
        hasEnded = true;
        this.#answers.end(fault);
        this.#setRunning(undefined);
      },
      expired: this.#expired,
    });
    if (!hasEnded) this.#setRunning(stop);
  }

  #setRunning(stop: (() => void) | undefined): void {
    this.#stop = stop;
    this.#run.textContent = stop === undefined ? 'Run' : 'Stop';
  }

  /** The object that is written, an empty one for nothing; `undefined`, which is said, if it isn't one. */
  #objectIn({ text }: Editor, what: string): object | undefined {
    if (text.trim() === '') return {};
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
      this.#answers.refuse(`The ${what} must be an object.`);
    } catch (error) {
      this.#answers.refuse(`The ${what} can't be read: ${(error as Error).message}`);
    }
    return undefined;
  }

  /** Comments would be lost. */
  #prettify(): void {
    const { text } = this.#document;
    if (/^\s*#/m.test(text)) {
      this.#answers.refuse('Comments would be lost: they are in lines that begin with #.');
      return;
    }
    try {
      this.#document.replace(`${print(parse(text))}\n`);
    } catch (error) {
      this.#answers.refuse((error as Error).message);
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
      const open = button(firstLine(document), () => {
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

/** Of what isn't a comment. */
function firstLine(document: string): string {
  return (
    document
      .split('\n')
      .find((line) => line.trim() !== '' && !line.trim().startsWith('#'))
      ?.trim() ?? 'Empty'
  );
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
