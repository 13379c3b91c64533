/** Methods for transactions that span several requests. */
import { failure } from '../../errors/error.js';
import { Uuid } from '../../value/value.js';
import type { Method } from '../method.js';
import { uuidText } from '../request.js';

const EXPECTED = 'transaction UUID';

export const transactionMethods: readonly Method[] = [
  {
    name: 'begin',
    querying: false,
    expects: '0 arguments',
    run: async ({ session }) => new Uuid((await session.begin()).id),
  },
  {
    name: 'commit',
    querying: false,
    expects: EXPECTED,
    least: 1,
    most: 1,
    run: async ({ session }, [id]) => {
      await session.transaction(named(id)).commit();
      return undefined;
    },
  },
  {
    name: 'cancel',
    querying: false,
    expects: EXPECTED,
    least: 1,
    most: 1,
    run: ({ session }, [id]) => {
      session.transaction(named(id)).cancel();
      return undefined;
    },
  },
];

function named(id: Parameters<typeof uuidText>[0]): string {
  const text = uuidText(id);
  if (text === undefined) throw failure('invalid_params', { expected: EXPECTED });
  return text;
}
