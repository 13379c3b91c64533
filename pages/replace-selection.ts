/**
 * Replaces and deletes what is selected. Where Chromium does it, it writes inline styles into the lines that it joins,
 * which the page's policy blocks with a warning.
 */
import { EditorView } from '@codemirror/view';

export const replaceSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const text = replacementOf(event);
    if (text === undefined || event.isComposing) return false;
    // The browser's selection, which the editor may not have taken over yet. Chromium gives no target ranges here.
    const selected = getSelection();
    if (selected === null || selected.isCollapsed) return false;
    const range = selected.getRangeAt(0);
    const from = view.posAtDOM(range.startContainer, range.startOffset);
    const to = view.posAtDOM(range.endContainer, range.endOffset);
    const insert = () => {
      const anchor = from + text.length;
      return view.state.update({ changes: { from, to, insert: text }, selection: { anchor }, scrollIntoView: true });
    };
    // Such as one that sets what is selected between brackets.
    const isTaken = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, insert));
    if (!isTaken) view.dispatch(insert());
    return true;
  },
});

/** What comes in place of the selection; `undefined` of other input. */
function replacementOf({ inputType, data }: InputEvent): string | undefined {
  if (inputType === 'insertText') return data ?? undefined;
  return inputType.startsWith('delete') ? '' : undefined;
}
