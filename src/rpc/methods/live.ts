/** Live queries by method. Their changes are pushed as notifications. */
import { failure } from '../../errors/error.js';
import { Table } from '../../value/value.js';
import type { Method } from '../method.js';
import { uuidText } from '../request.js';
import { executeOne } from './execute-one.js';

export const liveMethods: readonly Method[] = [
  {
    name: 'live',
    querying: true,
    expects: '(what:Value, diff:Value)',
    least: 1,
    most: 2,
    run: ({ executor, connection }, [what, diff]) => {
      if (!connection.notifies) throw failure('live_queries_unavailable');
      const name = what instanceof Table ? what.name : what;
      return executeOne(executor, {
        kind: 'live',
        projections: diff === true ? { kind: 'diff' } : { kind: 'fields', items: [{ kind: 'all' }] },
        from: typeof name === 'string' ? { kind: 'table', name } : { kind: 'literal', value: name },
      });
    },
  },
  {
    name: 'kill',
    querying: false,
    expects: '(id:Value)',
    least: 1,
    most: 1,
    run: ({ executor, session, connection }, [id]) => {
      const text = uuidText(id);
      // Some clients end what one session has begun from another, which isn't even signed in.
      if (text !== undefined && connection.endLive(text, session)) return undefined;
      return executeOne(executor, { kind: 'kill', id: { kind: 'literal', value: id } });
    },
  },
];
