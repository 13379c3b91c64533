/** Live queries by method. Their changes are pushed as notifications. */
import { failure } from '../../errors/error.js';
import { Table } from '../../value/value.js';
import type { Method } from '../method.js';
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
    run: ({ executor }, [id]) => executeOne(executor, { kind: 'kill', id: { kind: 'literal', value: id } }),
  },
];
