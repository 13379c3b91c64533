/** Opens a bucket by its name, for those who may not see which there are. */
import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { go } from '../../base/route.js';
import { Field } from '../../components/field.js';

export function NamedBucket({ chosen }: { readonly chosen: string }) {
  const [name, setName] = useState(chosen);
  return (
    <aside className="buckets" aria-label="Buckets">
      <Stack
        component="form"
        gap="xs"
        onSubmit={(event) => {
          event.preventDefault();
          go('files', ['bucket', name]);
        }}
      >
        <Field label="Bucket" hint="As the app calls it" value={name} onChange={setName} required />
        <Button type="submit">Open</Button>
      </Stack>
    </aside>
  );
}
