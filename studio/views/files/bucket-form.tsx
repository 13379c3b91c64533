/** The form that defines a bucket. */
import { useState } from 'react';
import { Field, SelectField } from '../../components/field.js';
import type { Connection } from '../../connection/connection.js';
import { StatementDialog } from '../schema/statement-dialog.js';
import { type BucketChoice, defineBucket, RULES, type Rule } from './buckets.js';

interface Properties {
  readonly connection: Connection;
  onClose(): void;
  /** It is there. */
  onDone(name: string): void;
}

const EMPTY: BucketChoice = { name: '', backend: '', maxSize: '10000000', types: '', rule: 'owner' };
const TITLES = Object.fromEntries(Object.entries(RULES).map(([rule, { title }]) => [rule, title]));

export function BucketForm({ connection, onClose, onDone }: Properties) {
  const [bucket, setBucket] = useState(EMPTY);
  const change = (changed: Partial<BucketChoice>) => setBucket({ ...bucket, ...changed });
  return (
    <StatementDialog
      title="Create a bucket"
      connection={connection}
      statement={defineBucket(bucket)}
      isIncomplete={bucket.name === ''}
      action="Create"
      onClose={onClose}
      onDone={() => onDone(bucket.name)}
    >
      <div className="pairs">
        <Field label="Name" value={bucket.name} onChange={(name) => change({ name })} required />
        <Field
          label="Backend"
          hint="Empty: in the store; file:/srv/files, s3://…, memory"
          value={bucket.backend}
          onChange={(backend) => change({ backend })}
        />
        <Field
          label="Largest file"
          hint="In bytes; empty: no limit"
          value={bucket.maxSize}
          onChange={(maxSize) => change({ maxSize })}
        />
        <Field
          label="Types"
          hint="Such as image/*, application/pdf; empty: all"
          value={bucket.types}
          onChange={(types) => change({ types })}
        />
      </div>
      <SelectField<Rule>
        label="Record users and guests"
        hint="Who puts a file is its owner"
        value={bucket.rule}
        options={TITLES as Record<Rule, string>}
        onChange={(rule) => change({ rule })}
      />
    </StatementDialog>
  );
}
