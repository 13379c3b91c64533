/** A modal dialog. The browser keeps the focus inside, and Escape closes it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from './button.js';

interface Properties {
  readonly title: string;
  readonly children: ComponentChildren;
  onClose(): void;
}

export function Dialog({ title, children, onClose }: Properties) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
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
