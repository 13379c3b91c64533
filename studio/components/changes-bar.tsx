/** Changes that aren't saved yet, with the statements that will run: undo each, undo all, or save them together. */
import { Button, Group } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { type Store, useStore } from '../base/store.js';
import { asError } from '../connection/as-error.js';
import { TransactionError } from '../connection/transaction.js';
import { focusView } from './focus-view.js';
import { Notice } from './notice.js';
import { toast } from './toast.js';

interface Properties<Change> {
  readonly pending: Store<readonly Change[]>;
  /** A change in words. */
  describe(change: Change): string;
  /** What it runs. */
  statementsOf(change: Change): readonly string[];
  /** Whether the statements are shown from the start. */
  readonly isReviewed?: boolean;
  /** All of them, or none. @throws TransactionError */
  save(changes: readonly Change[]): Promise<void>;
  onSaved(): void;
  /** What is left without one of them. Default: all others. */
  without?(changes: readonly Change[], at: number): readonly Change[];
  /** Whether it can be opened as it was made. */
  canReopen(change: Change): boolean;
  onReopen(change: Change, at: number): void;
  /** Further buttons. */
  readonly children?: ReactNode;
}

interface Failed {
  readonly message: string;
  /** The change at fault, and which of its statements. */
  readonly change?: number;
  readonly statement?: number;
}

export function ChangesBar<Change>(properties: Properties<Change>) {
  const { pending, describe, statementsOf, isReviewed = false, without, canReopen, onReopen } = properties;
  const changes = useStore(pending);
  const [failed, setFailed] = useState<Failed>();
  const [isBusy, setBusy] = useState(false);
  const hasChanges = changes.length > 0;
  useEffect(() => {
    if (!hasChanges) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [hasChanges]);
  // What has failed may be another statement by now.
  useEffect(() => setFailed(undefined), [changes]);
  if (!hasChanges) return null;
  const keep = (left: readonly Change[]) => {
    pending.value = left;
    if (left.length === 0) focusView();
  };
  const save = async () => {
    setBusy(true);
    setFailed(undefined);
    try {
      await properties.save(changes);
      keep([]);
      toast(changes.length === 1 ? 'Saved 1 change' : `Saved ${changes.length} changes`);
      properties.onSaved();
    } catch (thrown) {
      const error = asError(thrown);
      const at = error instanceof TransactionError ? error.statement : undefined;
      setFailed({ message: error.message, ...(at !== undefined && placeOf(at, changes.map(statementsOf))) });
    } finally {
      setBusy(false);
    }
  };
  const undoAll = () => {
    keep([]);
    toast('The changes are undone', {
      undo() {
        pending.value = changes;
      },
    });
  };
  const culprit = failed?.change === undefined ? undefined : changes[failed.change];
  return (
    <section className="changes" aria-label="Changes that are not saved">
      {failed !== undefined && (
        <Notice kind="error">
          {`Nothing was saved. ${culprit === undefined ? '' : `${describe(culprit)}: `}${failed.message}`}
        </Notice>
      )}
      <ul>
        {changes.map((change, at) => (
          <li key={at}>
            <Group>
              <span>{describe(change)}</span>
              {canReopen(change) && (
                <Button
                  variant="subtle"
                  aria-label={`Reopen: ${describe(change)}`}
                  onClick={() => onReopen(change, at)}
                >
                  Reopen
                </Button>
              )}
              <Button
                variant="subtle"
                aria-label={`Undo: ${describe(change)}`}
                onClick={() => keep(without?.(changes, at) ?? changes.toSpliced(at, 1))}
              >
                Undo
              </Button>
            </Group>
            <Statements
              texts={statementsOf(change)}
              isOpen={isReviewed}
              failed={failed?.change === at ? failed.statement : undefined}
            />
          </li>
        ))}
      </ul>
      <Group>
        <Button variant="filled" disabled={isBusy} onClick={() => void save()}>
          {`Save ${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`}
        </Button>
        <Button disabled={isBusy} onClick={undoAll}>
          Undo all
        </Button>
        {properties.children}
      </Group>
    </section>
  );
}

/** The change that the statement at this place of all belongs to, and its place among those of the change. */
function placeOf(at: number, texts: readonly (readonly string[])[]): Pick<Failed, 'change' | 'statement'> {
  let before = 0;
  for (const [change, { length }] of texts.entries()) {
    if (at < before + length) return { change, statement: at - before };
    before += length;
  }
  return {};
}

/** Characters of a statement that are shown: a value in it may have megabytes. */
const LONGEST = 2000;

interface StatementsProperties {
  readonly texts: readonly string[];
  readonly isOpen: boolean;
  /** The one that was refused. */
  readonly failed: number | undefined;
}

function Statements({ texts, isOpen, failed }: StatementsProperties) {
  return (
    <details open={isOpen || failed !== undefined}>
      <summary>{texts.length === 1 ? 'Statement' : `${texts.length} statements`}</summary>
      {texts.map((text, at) => (
        <pre key={at} {...(at === failed && { className: 'failed' })}>
          {text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : `${text};`}
        </pre>
      ))}
    </details>
  );
}
