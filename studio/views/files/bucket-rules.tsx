/** The limits of a bucket, and what record users and guests may do with its files. */
import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { formatBytes } from '../../base/format-bytes.js';
import { DataTable } from '../../components/data-table.js';
import type { Connection } from '../../connection/connection.js';
import type { Clause } from '../../connection/table-parts.js';
import { BucketRulesForm } from './bucket-form.js';
import { type Bucket, clauseFor, FILE_ACTIONS } from './buckets.js';

interface Properties {
  readonly connection: Connection;
  readonly bucket: Bucket;
  /** They were changed. */
  onChange(): void;
}

export function BucketRules({ connection, bucket, onChange }: Properties) {
  const [isEditing, setEditing] = useState(false);
  return (
    <details className="rules">
      <summary>
        <h2>Rules and limits</h2>
      </summary>
      <Text size="sm">{limitsOf(bucket).join(' · ')}</Text>
      {bucket.comment !== undefined && <Text size="sm">{bucket.comment}</Text>}
      <DataTable
        caption="What record users and guests may do"
        rows={FILE_ACTIONS}
        keyOf={(action) => action}
        columns={[
          { title: 'Action', cell: (action) => action },
          { title: 'Record users and guests', cell: (action) => wordsOf(clauseFor(action, bucket)) },
        ]}
      />
      {connection.viewed === undefined && <Button onClick={() => setEditing(true)}>Edit the bucket</Button>}
      {isEditing && (
        <BucketRulesForm
          connection={connection}
          bucket={bucket}
          onClose={() => setEditing(false)}
          onDone={() => {
            setEditing(false);
            onChange();
          }}
        />
      )}
    </details>
  );
}

function limitsOf({ backend, readonly, max_size, max_count, types }: Bucket): readonly string[] {
  return [
    backend === undefined ? 'In the store' : `In ${backend}`,
    max_size === undefined ? 'Files of any size' : `Files of up to ${formatBytes(max_size)}`,
    ...(max_count === undefined ? [] : [`At most ${max_count.toLocaleString('en')} files`]),
    types === undefined ? 'All types' : types.join(', '),
    ...(readonly ? ['Read-only'] : []),
  ];
}

function wordsOf(clause: Clause) {
  if (typeof clause === 'string') return <code>WHERE {clause}</code>;
  return clause ? 'Yes' : 'No';
}
