/**
 * The parts of an aggregate: the fields to which each applies, and its function. Missing values are skipped
 * everywhere.
 */
import { GraphQLNonNull, type GraphQLNullableType, type GraphQLOutputType, isCompositeType } from 'graphql';
import type { Expression, Idiom } from '../../language/ast.js';
import { toDisplay } from '../../value/text/text.js';
import { RecordId, type Value } from '../../value/value.js';
import { SCALARS } from '../base/scalars.js';
import { call, isPresent } from './filter/subject.js';
import type { OutputShape, Read } from './output-shape.js';

/** One part for one field. */
interface Member {
  readonly type: GraphQLOutputType;
  readonly read?: Read;
  /** Stands in a SELECT with GROUP. */
  readonly build: (field: Expression) => Expression;
}

interface Part {
  readonly description: string;
  /** Ends the name of its type. Parts with the same fields share one. */
  readonly type: 'group' | 'counts' | 'sums' | 'averages' | 'extremes';
  /** `undefined` for fields that it doesn't apply to. */
  readonly of: (shape: OutputShape) => Member | undefined;
}

export const COUNT: Expression = call('count');
/** The part with what the records are grouped by. */
export const GROUP = 'group';

type Build = Member['build'];

/** The aggregate functions for the values of a type. */
interface Measures {
  readonly sum?: Build;
  readonly avg?: Build;
  readonly min: Build;
  readonly max: Build;
}

const NUMBERS: Measures = {
  sum: ofNumbers('math::sum'),
  avg: ofNumbers('math::mean'),
  min: ofNumbers('math::min'),
  max: ofNumbers('math::max'),
};
const INSTANTS: Measures = { min: (field) => call('time::min', field), max: (field) => call('time::max', field) };
const OTHERS: Measures = {
  min: (field) => call('array::min', different(field)),
  max: (field) => call('array::max', different(field)),
};

const MEASURES: ReadonlyMap<GraphQLNullableType, Measures> = new Map<GraphQLNullableType, Measures>([
  [SCALARS.Int, NUMBERS],
  [SCALARS.Float, NUMBERS],
  [SCALARS.number, NUMBERS],
  [SCALARS.decimal, NUMBERS],
  [SCALARS.datetime, INSTANTS],
  [SCALARS.duration, OTHERS],
  [SCALARS.String, OTHERS],
  [SCALARS.uuid, OTHERS],
]);

export const PARTS: Readonly<Record<string, Part>> = {
  [GROUP]: {
    description: 'What the records of the group have in common: the fields of `groupBy`.',
    type: 'group',
    // NONE and NULL both are null in GraphQL, and so one group.
    of: scalar((field) => ({
      kind: 'binary',
      operator: '??',
      left: field,
      right: { kind: 'literal', value: undefined },
    })),
  },
  countOf: {
    description: 'How many records have the field.',
    type: 'counts',
    of: counted((field) => call('count', isPresent(field))),
  },
  distinct: {
    description: 'How many different values there are.',
    type: 'counts',
    of: counted((field) => call('array::len', different(field))),
  },
  sum: { description: 'The sum.', type: 'sums', of: measured('sum') },
  avg: { description: 'The arithmetic mean.', type: 'averages', of: measured('avg', SCALARS.Float) },
  min: { description: 'The least value.', type: 'extremes', of: measured('min') },
  max: { description: 'The greatest value.', type: 'extremes', of: measured('max') },
};

/** The value itself, of a link the id. */
function scalar(build: Build): Part['of'] {
  return ({ orderable, type, read }) => {
    if (!orderable) return undefined;
    return isCompositeType(type) ? { type: SCALARS.ID, read: idText, build } : { type, ...(read && { read }), build };
  };
}

function counted(build: Build): Part['of'] {
  return ({ orderable }) => (orderable ? { type: new GraphQLNonNull(SCALARS.Int), build } : undefined);
}

function measured(measure: keyof Measures, type?: GraphQLOutputType): Part['of'] {
  return (shape) => {
    const build = MEASURES.get(shape.type)?.[measure];
    return build && { type: type ?? shape.type, ...(shape.read && { read: shape.read }), build };
  };
}

/** NONE without numbers, for which the functions would return 0, NaN or an infinity. */
function ofNumbers(path: string): Build {
  return (field) => ({
    kind: 'if',
    branches: [{ condition: call('count', call('type::is_number', field)), then: call(path, field) }],
  });
}

/** The different values of a group. */
function different(field: Expression): Idiom {
  const condition = isPresent({ kind: 'param', name: 'this' });
  return { kind: 'idiom', start: call('array::distinct', field), parts: [{ kind: 'where', condition }] };
}

function idText(value: Value): string | undefined {
  return value instanceof RecordId ? toDisplay(value) : undefined;
}
