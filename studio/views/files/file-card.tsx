/** What a file is at a glance: its name, type and size, and the picture if it is one. */
import { Text } from '@mantine/core';
import { formatBytes } from '../../base/format-bytes.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { pageAddress } from './page-address.js';
import { loadFile, nameOf } from './stored-files.js';

interface Properties {
  readonly connection: Connection;
  readonly bucket: string;
  /** The key of the file. */
  readonly name: string;
}

export function FileCard({ connection, bucket, name }: Properties) {
  const { data, error } = useLoaded(async () => {
    const file = await loadFile(connection, bucket, name);
    const isPicture = file?.type.startsWith('image/') === true;
    return { file, address: isPicture ? await pageAddress(connection, bucket, name) : undefined };
  }, [connection, bucket, name]);
  return (
    <div className="file-card">
      <strong>{nameOf(name)}</strong>
      {error !== undefined && <Text size="sm">{error.message}</Text>}
      {error === undefined && data === undefined && <Text size="sm">Loading…</Text>}
      {data !== undefined && (
        <Text size="sm" c="dimmed">
          {data.file === undefined ? 'There is no such file.' : `${data.file.type}, ${formatBytes(data.file.size)}`}
        </Text>
      )}
      {data?.address !== undefined && <img src={data.address} alt={nameOf(name)} />}
    </div>
  );
}
