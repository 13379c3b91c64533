/** The editors of the page: CodeMirror, for documents with the schema, and for JSON. Escape and then Tab leaves one. */
import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension, Prec } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { graphql, updateSchema } from 'cm6-graphql';
import type { GraphQLSchema } from 'graphql';
import { replaceSelection } from '../replace-selection.js';

export interface EditorOptions {
  readonly label: string;
  readonly text: string;
  changed(text: string): void;
  /** Ctrl-Enter, or ⌘-Enter. */
  run(): void;
}

export interface Editor {
  readonly text: string;
  /** The text, with what was done to it and can be undone. */
  readonly state: EditorState;
  /** Changes the text, which can be undone. */
  replace(text: string): void;
  /** Shows another text, or one that was left. */
  open(text: string | EditorState): void;
  focus(): void;
  close(): void;
}

export interface DocumentEditor extends Editor {
  /** What is completed and checked from now on. */
  know(schema: GraphQLSchema): void;
}

/** `lookUp` shows what the documentation says of a type whose name was clicked with Ctrl. */
export function documentEditor(
  host: HTMLElement,
  options: EditorOptions,
  lookUp: (type: string) => void,
): DocumentEditor {
  const onShowInDocs = (_field?: string, type?: string, parentType?: string) => {
    const name = type ?? parentType;
    if (name !== undefined) lookUp(name.replace(/[[\]!]/g, ''));
  };
  let known: GraphQLSchema | undefined;
  const editor = new CodeEditor(
    host,
    options,
    [lineNumbers(), graphql(undefined, { onShowInDocs, showErrorOnInvalidSchema: false })],
    // The schema is part of a state.
    (view) => known && updateSchema(view, known),
  );
  return Object.assign(editor, {
    know: (schema: GraphQLSchema) => {
      known = schema;
      updateSchema(editor.view, schema);
    },
  });
}

export function jsonEditor(host: HTMLElement, options: EditorOptions): Editor {
  return new CodeEditor(host, options, [json]);
}

class CodeEditor implements Editor {
  readonly view: EditorView;
  readonly #options: EditorOptions;
  readonly #language: Extension;
  readonly #opened: (view: EditorView) => void;

  constructor(
    host: HTMLElement,
    options: EditorOptions,
    language: Extension,
    opened: (view: EditorView) => void = () => undefined,
  ) {
    this.#options = options;
    this.#language = language;
    this.#opened = opened;
    this.view = new EditorView({ parent: host, state: this.#stateOf(options.text) });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  get state(): EditorState {
    return this.view.state;
  }

  replace(text: string): void {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  open(text: string | EditorState): void {
    this.view.setState(typeof text === 'string' ? this.#stateOf(text) : text);
    this.#opened(this.view);
  }

  focus(): void {
    this.view.focus();
  }

  close(): void {
    this.view.destroy();
  }

  #stateOf(doc: string): EditorState {
    const { label, changed, run } = this.#options;
    const runs = () => {
      run();
      return true;
    };
    return EditorState.create({
      doc,
      extensions: [
        EditorView.cspNonce.of(document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? ''),
        history(),
        drawSelection(),
        replaceSelection,
        bracketMatching(),
        closeBrackets(),
        autocompletion(),
        this.#language,
        colours,
        Prec.highest(keymap.of([{ key: 'Mod-Enter', run: runs }])),
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) changed(state.doc.toString());
        }),
      ],
    });
  }
}

const json = StreamLanguage.define<object>({
  name: 'json',
  startState: () => ({}),
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^"(?:[^"\\]|\\.)*"(?=\s*:)/)) return 'propertyName';
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return 'string';
    if (stream.match(/^-?\d[\d.eE+-]*/)) return 'number';
    if (stream.match(/^(?:true|false|null)\b/)) return 'atom';
    stream.next();
    return null;
  },
});

const colours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.keyword, color: 'var(--link)', fontWeight: '600' },
    { tag: tags.string, color: 'var(--string)' },
    { tag: [tags.number, tags.atom, tags.bool, tags.integer, tags.float], color: 'var(--number)' },
    { tag: tags.comment, color: 'var(--quiet)', fontStyle: 'italic' },
    { tag: tags.variableName, color: 'var(--number)' },
  ]),
);
