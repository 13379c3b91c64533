/** The editor: CodeMirror with SurrealQL. Ctrl-Enter (⌘-Enter) runs, Escape and then Tab leaves it. */
import { autocompletion, type Completion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { EditorState, Prec } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { replaceSelection } from '../../../pages/replace-selection.js';
import { nonce } from '../../base/nonce.js';
import { complete } from './completion.js';
import { positionOf } from './error-position.js';
import { colours, surrealql } from './highlighting.js';

interface Properties {
  /** The text that it begins with. */
  readonly initial: string;
  /** A text to put in place of what is written; each object counts once. What is written itself never comes back by it. */
  readonly replacement: { readonly text: string } | undefined;
  readonly names: readonly Completion[];
  /** An error to show at the place that it names. */
  readonly error: string | undefined;
  /** `selected`: the part that is selected, empty if none is. */
  onChange(text: string, selected: string): void;
  onRun(): void;
}

export function Editor({ initial, replacement, names, error, onChange, onRun }: Properties) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  // The editor outlives many renderings, and calls what the latest one gave.
  const latest = useRef({ names, onChange, onRun });
  latest.current = { names, onChange, onRun };
  useEffect(() => {
    const run = () => {
      latest.current.onRun();
      return true;
    };
    const made = new EditorView({
      parent: host.current as HTMLDivElement,
      state: EditorState.create({
        doc: initial,
        extensions: [
          nonce === '' ? [] : EditorView.cspNonce.of(nonce),
          lineNumbers(),
          history(),
          drawSelection(),
          replaceSelection,
          bracketMatching(),
          closeBrackets(),
          surrealql,
          colours,
          autocompletion({ override: [complete(() => latest.current.names)] }),
          Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': 'Statements' }),
          EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
            if (!docChanged && !selectionSet) return;
            const { from, to } = state.selection.main;
            latest.current.onChange(state.doc.toString(), state.sliceDoc(from, to));
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const shown = view.current;
    if (shown === undefined || replacement === undefined) return;
    shown.dispatch({ changes: { from: 0, to: shown.state.doc.length, insert: replacement.text } });
  }, [replacement]);
  useEffect(() => {
    const shown = view.current;
    if (shown === undefined) return;
    const place = error === undefined ? undefined : placeOf(shown.state, error);
    const diagnostics =
      error === undefined || place === undefined
        ? []
        : [{ ...place, severity: 'error' as const, message: error.split('\n', 1)[0] ?? '' }];
    shown.dispatch(setDiagnostics(shown.state, diagnostics));
  }, [error]);
  return <div ref={host} className="editor" />;
}

function placeOf({ doc }: EditorState, error: string): { from: number; to: number } | undefined {
  const position = positionOf(error);
  if (position === undefined || position.line > doc.lines) return undefined;
  const line = doc.line(position.line);
  const from = Math.min(line.from + position.column - 1, line.to);
  return { from: from === doc.length && from > 0 ? from - 1 : from, to: Math.min(from + 1, doc.length) };
}
