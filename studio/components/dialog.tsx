/** A modal dialog, as long as it is rendered. Its first field has the focus, which stays inside; Escape closes it. */
import { Modal } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { focusView } from './focus-view.js';

interface Properties {
  readonly title: string;
  readonly children: ReactNode;
  onClose(): void;
}

/** What one has come for, rather than the button that closes it. */
const FIELDS = 'input:enabled, select:enabled, textarea:enabled';

function markFirstField(content: HTMLElement | null): void {
  content?.querySelector(FIELDS)?.setAttribute('data-autofocus', '');
}

export function Dialog({ title, children, onClose }: Properties) {
  useEffect(() => {
    const opener = document.activeElement;
    // A dialog that is taken away, rather than closed, leaves the focus nowhere.
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
      else focusView();
    };
  }, []);
  return (
    <Modal opened title={title} onClose={onClose}>
      <div ref={markFirstField}>{children}</div>
    </Modal>
  );
}
