/** Asks before something that can't be taken back, does it, and shows why it failed. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { asError } from '../connection/as-error.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Notice } from './notice.js';

interface Properties {
  readonly title: string;
  /** What will happen. */
  readonly children: ComponentChildren;
  /** The title of the button that does it. */
  readonly action: string;
  act(): Promise<unknown>;
  /** Called when it is done, and when it is not to be done. */
  onClose(): void;
}

export function Confirmation({ title, children, action, act, onClose }: Properties) {
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const confirm = () => {
    setBusy(true);
    act().then(onClose, (thrown: unknown) => {
      setError(asError(thrown));
      setBusy(false);
    });
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {error !== undefined && <Notice kind="error">{error.message}</Notice>}
      <div class="stack">{children}</div>
      <div class="row actions">
        <Button kind="danger" disabled={isBusy} onClick={confirm}>
          {action}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}
