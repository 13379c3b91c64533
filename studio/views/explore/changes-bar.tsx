/** The changes that aren't saved yet: undo each, undo all, or save them together. */
import { Button, Group } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useStore } from '../../base/store.js';
import { focusView } from '../../components/focus-view.js';
import { Notice } from '../../components/notice.js';
import { toast } from '../../components/toast.js';
import { asError } from '../../connection/as-error.js';
import type { Connection } from '../../connection/connection.js';
import { type Change, describe } from './changes.js';
import { pendingChanges, saveChanges } from './pending-changes.js';
import { EditRow, NewRow } from './row-editors.js';

interface Properties {
  readonly connection: Connection;
  /** After they were saved. */
  onSaved(): void;
}

export function ChangesBar({ connection, onSaved }: Properties) {
  const pending = pendingChanges(connection);
  const changes = useStore(pending);
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [edited, setEdited] = useState<number>();
  const hasChanges = changes.length > 0;
  useEffect(() => {
    if (!hasChanges) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [hasChanges]);
  if (!hasChanges) return null;
  const change = edited === undefined ? undefined : changes[edited];
  const close = () => setEdited(undefined);
  const keep = (left: readonly Change[]) => {
    pending.value = left;
    if (left.length === 0) focusView();
  };
  const save = async () => {
    setBusy(true);
    setError('');
    try {
      await saveChanges(connection, changes);
      keep([]);
      toast(changes.length === 1 ? 'Saved 1 change' : `Saved ${changes.length} changes`);
      onSaved();
    } catch (thrown) {
      setError(`Nothing was saved. ${asError(thrown).message}`);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="changes" aria-label="Changes that are not saved">
      {error !== '' && <Notice kind="error">{error}</Notice>}
      <ul>
        {changes.map((change, at) => (
          <Group component="li" key={at}>
            <span>{describe(change)}</span>
            {change.kind !== 'delete' && (
              <Button variant="subtle" aria-label={`Reopen: ${describe(change)}`} onClick={() => setEdited(at)}>
                Reopen
              </Button>
            )}
            <Button
              variant="subtle"
              aria-label={`Undo: ${describe(change)}`}
              onClick={() => keep(changes.toSpliced(at, 1))}
            >
              Undo
            </Button>
          </Group>
        ))}
      </ul>
      <Group>
        <Button variant="filled" disabled={isBusy} onClick={() => void save()}>
          {`Save ${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`}
        </Button>
        <Button
          disabled={isBusy}
          onClick={() => {
            keep([]);
            setError('');
            toast('The changes are undone', {
              undo() {
                pending.value = changes;
              },
            });
          }}
        >
          Undo all
        </Button>
      </Group>
      {change?.kind === 'create' && (
        <NewRow
          connection={connection}
          creation={change}
          onDone={(creation) => keep(changes.with(edited as number, creation))}
          onClose={close}
        />
      )}
      {change?.kind === 'update' && <EditRow connection={connection} record={change.record} onClose={close} />}
    </section>
  );
}
