/** An index beside the picture, new or there already. */
import { useState } from 'react';
import { listed } from '../../../connection/statements.js';
import { IndexFields, isIncomplete } from '../index-fields.js';
import { NEW_INDEX } from '../new-definitions.js';
import { typedPath } from './choices.js';
import { type Designer, previewOf } from './designer.js';
import type { DraftIndex, DraftTable } from './draft.js';
import { PanelForm } from './panel-form.js';

interface Properties {
  readonly designer: Designer;
  readonly table: DraftTable;
  /** Absent: a new one. */
  readonly index: DraftIndex | undefined;
}

export function IndexPanel({ designer, table, index }: Properties) {
  const { stage, select } = designer;
  const { before, edit } = index ?? {};
  // Within the transaction, so that what stands against it is said at once.
  const [choice, setChoice] = useState(index?.choice ?? { ...NEW_INDEX, isConcurrent: false });
  const named = choice.name === '' ? { ...choice, name: nameFor(choice.fields) } : choice;
  const changed = { kind: 'index', table: table.name, ...(before !== undefined && { before }), after: named } as const;
  const hasForm = index === undefined || index.choice !== undefined;
  const close = () => select(undefined);
  return (
    <PanelForm
      title={index === undefined ? `New index of ${table.name}` : `Index ${index.name} of ${table.name}`}
      statements={hasForm ? previewOf(designer, [changed]) : []}
      isIncomplete={isIncomplete(named) || !hasForm}
      isFixed={designer.isFixed || index?.state === 'removed'}
      onKeep={() => {
        stage([changed], edit);
        close();
      }}
      {...(index !== undefined && {
        onRemove: () => {
          stage([{ kind: 'index', table: table.name, ...(before !== undefined && { before }) }], edit);
          close();
        },
      })}
      onClose={close}
    >
      {hasForm ? (
        <IndexFields
          index={named}
          fields={table.columns.map(({ path }) => typedPath(path))}
          onChange={(changedChoice) => setChoice(changedChoice)}
        />
      ) : (
        <pre>{before?.statement}</pre>
      )}
    </PanelForm>
  );
}

/** A name until one is typed: `by_email`. */
function nameFor(fields: string): string {
  const words = listed(fields).flatMap((path) => path.match(/\w+/g) ?? []);
  return words.length === 0 ? '' : `by_${words.join('_')}`;
}
