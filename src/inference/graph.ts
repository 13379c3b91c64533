/** The types of graph steps: `->wrote->post`, `<-wrote[WHERE …]`, `->(SELECT … FROM wrote)`, `<~comment`. */
import type { GraphStep, Part, Select } from '../language/ast.js';
import type { Type } from '../value/type.js';
import type { TypeScope } from './scope.js';
import { expectTable } from './tables.js';
import { alternativesOf, arrayOf, isAnyType, NONE, optionOf, recordOf, unionOf } from './types.js';

/** The number of parts of the chain that the parts begin with: graph steps, and filters behind them. */
export function chainLength(parts: readonly Part[]): number {
  if (parts[0]?.kind !== 'graph') return 0;
  const end = parts.findIndex(({ kind }) => kind !== 'graph' && kind !== 'where');
  return end === -1 ? parts.length : end;
}

/** One list of all that is reached. */
export function chainType(from: Type, chain: readonly Part[], scope: TypeScope): Type {
  let reached: Type = recordOf();
  for (const part of chain) {
    if (part.kind === 'graph') reached = reachedBy(part, scope);
    else if (part.kind === 'where') scope.within(recordsReached(reached, scope)).type(part.condition);
  }
  return startsNowhere(from, chain) ? optionOf(arrayOf(reached)) : arrayOf(reached);
}

/** Values other than links, rows and lists of them lead nowhere, but for references to files. */
function startsNowhere(from: Type, [first]: readonly Part[]): boolean {
  const isReference = first?.kind === 'graph' && first.direction === 'reference';
  const places = ['record', 'object', 'array', ...(isReference ? ['file'] : [])];
  return alternativesOf(from).some((one) => isAnyType(one) || !places.includes(one.kind));
}

function reachedBy(step: GraphStep, scope: TypeScope): Type {
  for (const subject of step.subjects) expectTable(subject.table, subject, scope);
  const found = recordOf(...new Set(step.subjects.map(({ table }) => table)));
  const { projections, where, split, group, order, limit, start } = step;
  if (!(projections || split || group || order || limit || start)) {
    if (where !== undefined) scope.within(recordsReached(found, scope)).type(where);
    return found;
  }
  const inner = scope.block();
  inner.set(FOUND, arrayOf(found));
  const select: Select = {
    kind: 'select',
    projections: projections ?? { kind: 'value', expression: ID },
    only: false,
    from: [{ kind: 'param', name: FOUND }],
    ...(where && { where }),
    ...(split && { split }),
    ...(group && { group }),
    ...(order && { order }),
    ...(limit && { limit }),
    ...(start && { start }),
  };
  const rows = inner.statement(select);
  return rows.kind === 'array' ? (rows.item ?? NONE) : rows;
}

/** The records found by a step, as a param that no text can write. */
const FOUND = '\0found';
const ID = { kind: 'idiom', parts: [{ kind: 'field', name: 'id' }] } as const;

function recordsReached(reached: Type, { inference }: TypeScope): Type {
  return unionOf(
    alternativesOf(reached).map((one) => (one.kind === 'record' ? inference.records.recordOf(one.tables) : one)),
  );
}
