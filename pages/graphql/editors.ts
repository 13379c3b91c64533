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
  replace(text: string): void;
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
  const view = editorView(host, options, [
    lineNumbers(),
    graphql(undefined, { onShowInDocs, showErrorOnInvalidSchema: false }),
  ]);
  return Object.assign(editorOf(view), { know: (schema: GraphQLSchema) => updateSchema(view, schema) });
}

export function jsonEditor(host: HTMLElement, options: EditorOptions): Editor {
  return editorOf(editorView(host, options, [json]));
}

function editorOf(view: EditorView): Editor {
  return {
    get text() {
      return view.state.doc.toString();
    },
    replace: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    focus: () => view.focus(),
    close: () => view.destroy(),
  };
}

function editorView(host: HTMLElement, { label, text, changed, run }: EditorOptions, language: Extension): EditorView {
  const runs = () => {
    run();
    return true;
  };
  return new EditorView({
    parent: host,
    state: EditorState.create({
      doc: text,
      extensions: [
        EditorView.cspNonce.of(document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? ''),
        history(),
        drawSelection(),
        replaceSelection,
        bracketMatching(),
        closeBrackets(),
        autocompletion(),
        language,
        colours,
        Prec.highest(keymap.of([{ key: 'Mod-Enter', run: runs }])),
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) changed(state.doc.toString());
        }),
      ],
    }),
  });
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
