/** Where a page shows the bytes of a file. */
import { type FileSource, linkTo } from './stored-files.js';

/** Where a page of this server shows a file for an hour: by a link, so that it works in a view of another user, which has no token. */
export async function pageAddress(source: FileSource, bucket: string, key: string): Promise<string> {
  // It may name the server by an address that the page isn't at.
  const { pathname, search } = new URL(await linkTo(source, bucket, key, '1h'), location.origin);
  return pathname + search;
}
