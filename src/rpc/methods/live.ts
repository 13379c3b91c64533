/** Live queries by method. What they see comes as notifications of the connection. */
import { failure } from '../../errors/error.js';
import type { Statement } from '../../language/ast.js';
import { Table, Uuid } from '../../value/value.js';
import { type Method, wrongKind } from '../method.js';
import { uuidText } from '../request.js';
import { executeOne } from './execute-one.js';

export const liveMethods: readonly Method[] = [
  {
    name: 'live',
    expects: '(what:Value, diff:Value)',
    least: 1,
    most: 2,
    run: ({ door }, [what, diff]) => {
      const name = what instanceof Table ? what.name : what;
      if (typeof name !== 'string') throw wrongKind('what', 'table', what);
      const statement: Statement = {
        kind: 'live',
        projections: diff === true ? { kind: 'diff' } : { kind: 'fields', items: [{ kind: 'all' }] },
        from: { kind: 'table', name },
      };
      return executeOne(door, statement);
    },
  },
  {
    name: 'kill',
    expects: '(id:Value)',
    least: 1,
    most: 1,
    run: ({ door }, [id]) => {
      const text = uuidText(id);
      if (text === undefined) throw failure('invalid_params', { expected: 'id to be uuid' });
      return executeOne(door, { kind: 'kill', id: { kind: 'literal', value: new Uuid(text) } });
    },
  },
];
