/** The buckets of the database with which the user may do something. */
import { Button, Text } from '@mantine/core';
import { hrefOf } from '../../base/route.js';
import { Failure } from '../../components/failure.js';
import { Loading } from '../../components/loading.js';
import type { Loaded } from '../../connection/use-loaded.js';
import type { UsableBucket } from './buckets.js';

interface Properties {
  readonly buckets: Loaded<readonly UsableBucket[]>;
  readonly chosen: string | undefined;
  /** Opens the form of a new one, for those who may define it. */
  readonly onDefine?: () => void;
}

export function BucketList({ buckets: { data, error }, chosen, onDefine }: Properties) {
  return (
    <aside className="buckets" aria-label="Buckets">
      <h2>Buckets</h2>
      {error !== undefined && <Failure error={error} />}
      {data === undefined && error === undefined && <Loading />}
      {data?.length === 0 && <Text c="dimmed">There are none {onDefine === undefined ? 'for you' : 'yet'}.</Text>}
      <ul>
        {data?.map(({ name }) => (
          <li key={name}>
            <a href={hrefOf('files', ['bucket', name])} aria-current={name === chosen ? 'page' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
      {onDefine !== undefined && (
        <Button {...(data?.length === 0 && { variant: 'filled' })} onClick={onDefine}>
          Create a bucket
        </Button>
      )}
    </aside>
  );
}
