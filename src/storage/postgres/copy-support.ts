import type { CopySupport } from '../contract.js';
import { int8, int8Of } from './binary.js';
import type { BinaryParameter, BinaryRow, PreparedStatement } from './connection.js';

const REVISION: PreparedStatement = {
  name: 'revision',
  text: "SELECT md5(string_agg(id || ':' || stamp, ',' ORDER BY id)) FROM head",
};
const LAST_STAMP: PreparedStatement = { name: 'last_stamp', text: 'SELECT max(stamp) FROM head' };
const RAISE_STAMP: PreparedStatement = {
  name: 'raise_stamp',
  text: 'UPDATE head SET stamp = $1::bigint WHERE stamp < $1::bigint',
};

/** The interface of copies besides transactions. `query` runs one statement by itself. */
export function copySupport(
  query: (statement: PreparedStatement, parameters?: readonly BinaryParameter[]) => Promise<readonly BinaryRow[]>,
): CopySupport {
  return {
    revision: async () => (await query(REVISION)).map(([revision]) => revision).join(),
    lastStamp: async () => {
      const [row] = await query(LAST_STAMP);
      return int8Of(row![0]!);
    },
    raiseStamp: async (stamp) => {
      await query(RAISE_STAMP, [int8(stamp)]);
    },
  };
}
