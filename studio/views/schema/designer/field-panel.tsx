/** A field beside the picture, new or there already. */
import { Text } from '@mantine/core';
import { useState } from 'react';
import { Notice } from '../../../components/notice.js';
import { fieldPath } from '../../../connection/statements.js';
import { identifier } from '../../../connection/surrealql.js';
import { FieldFields } from '../field-fields.js';
import { NEW_FIELD } from '../new-definitions.js';
import { fieldChoice } from './choices.js';
import { conditionsFor } from './conditions.js';
import { type Designer, previewOf } from './designer.js';
import type { DraftField, DraftTable } from './draft.js';
import { isRename } from './edits.js';
import { PanelForm } from './panel-form.js';
import { canBeRenamed, mentionsOf } from './rename.js';

interface Properties {
  readonly designer: Designer;
  readonly table: DraftTable;
  /** Absent: a new one. */
  readonly field: DraftField | undefined;
  /** What the form begins with, instead of what the field is. */
  readonly initial?: typeof NEW_FIELD;
}

export function FieldPanel({ designer, table, field, initial }: Properties) {
  const { tables, schema, stage, select } = designer;
  const { before, edit } = field ?? {};
  const [choice, setChoice] = useState(initial ?? field?.choice ?? NEW_FIELD);
  const [added, setAdded] = useState(0);
  const changed = { kind: 'field', table: table.name, ...(before !== undefined && { before }), after: choice } as const;
  const isRenamed = isRename(changed);
  const close = () => select(undefined);
  const keep = () => stage([changed], edit);
  const isComputed = before?.computed !== undefined;
  const isTaken = (before === undefined || isRenamed) && isPathTaken(table, field, choice.path);
  return (
    <PanelForm
      key={added}
      title={field === undefined ? `New field of ${table.name}` : `Field ${field.path} of ${table.name}`}
      statements={previewOf(designer, [changed])}
      isIncomplete={choice.path.trim() === '' || isTaken}
      isFixed={designer.isFixed || field?.state === 'removed' || isComputed}
      onKeep={() => {
        keep();
        close();
      }}
      {...(field === undefined && {
        onKeepAndAdd: () => {
          keep();
          setChoice(NEW_FIELD);
          setAdded(added + 1);
        },
      })}
      {...(field !== undefined && {
        onRemove: () => {
          stage([{ kind: 'field', table: table.name, ...(before !== undefined && { before }) }], edit);
          close();
        },
      })}
      onClose={close}
    >
      {isComputed && (
        <Notice kind="information">It is computed: {before.computed}. The page of its table has it as text.</Notice>
      )}
      {isTaken && <Notice kind="warning">There is a field of this path already.</Notice>}
      {isRenamed && <RenameNotice mentions={mentionsOf(schema, table.name, before?.name ?? '')} />}
      {before !== undefined && !isRenamed && choice.type !== fieldChoice(before).type && (
        <Text size="sm">Values stay as they are: rows whose values don’t fit can’t be changed until they do.</Text>
      )}
      <FieldFields
        field={choice}
        types={tables.flatMap(({ name }) => [`record<${identifier(name)}>`, `option<record<${identifier(name)}>>`])}
        conditions={conditionsFor(table)}
        {...(before !== undefined &&
          !canBeRenamed(before.name) && { fixedBecause: 'Within an array it keeps its name' })}
        onChange={setChoice}
      />
    </PanelForm>
  );
}

function isPathTaken({ columns }: DraftTable, field: DraftField | undefined, typed: string): boolean {
  return columns.some((other) => other.path !== field?.path && other.path === fieldPath(typed));
}

/** What renaming takes. */
function RenameNotice({ mentions }: { readonly mentions: readonly string[] }) {
  return (
    <Notice kind="warning">
      No statement renames a field. These define it under its new name, move the values in every row, and remove the old
      one; events run for each row. Programs and queries that use the old name have to be changed.
      {mentions.length > 0 && ` The old name stays in: ${mentions.join(', ')}.`}
    </Notice>
  );
}
