/** A modal dialog. Its first field has the focus, which the browser keeps inside; Escape closes it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from './button.js';
import { focusView } from './focus-view.js';

interface Properties {
  readonly title: string;
  readonly children: ComponentChildren;
  onClose(): void;
}

/** What one has come for, rather than the button that closes it. */
const FIELDS = 'input:enabled, select:enabled, textarea:enabled';

export function Dialog({ title, children, onClose }: Properties) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>(FIELDS)?.focus();
    // A dialog that is taken away, rather than closed, leaves the focus nowhere.
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
      else focusView();
    };
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <header class="row spread">
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" label="Close" onClick={onClose}>
          ×
        </Button>
      </header>
      {children}
    </dialog>
  );
}
