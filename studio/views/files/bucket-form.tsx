/** The dialogs that define a bucket, and change its rules and limits. */
import { useState } from 'react';
import type { Connection } from '../../connection/connection.js';
import { StatementDialog } from '../schema/statement-dialog.js';
import { BucketFields } from './bucket-fields.js';
import { alterBucket, type Bucket, choiceOf, defineBucket, hasLimits, NEW_BUCKET } from './buckets.js';

interface Properties {
  readonly connection: Connection;
  onClose(): void;
  /** It is there. */
  onDone(name: string): void;
}

export function BucketForm({ connection, onClose, onDone }: Properties) {
  const [bucket, setBucket] = useState(NEW_BUCKET);
  return (
    <StatementDialog
      title="Create a bucket"
      connection={connection}
      statement={defineBucket(bucket)}
      isIncomplete={bucket.name === '' || !hasLimits(bucket)}
      action="Create"
      onClose={onClose}
      onDone={() => onDone(bucket.name)}
    >
      <BucketFields bucket={bucket} onChange={setBucket} />
    </StatementDialog>
  );
}

interface RulesProperties extends Omit<Properties, 'onDone'> {
  readonly bucket: Bucket;
  onDone(): void;
}

export function BucketRulesForm({ connection, bucket, onClose, onDone }: RulesProperties) {
  const before = choiceOf(bucket);
  const [choice, setChoice] = useState(before);
  const statement = alterBucket(before, choice);
  return (
    <StatementDialog
      title={`Edit ${bucket.name}`}
      connection={connection}
      statement={statement ?? ''}
      isIncomplete={statement === undefined || !hasLimits(choice)}
      action="Change"
      onClose={onClose}
      onDone={onDone}
    >
      <BucketFields bucket={choice} isDefined onChange={setChoice} />
    </StatementDialog>
  );
}
