/** DURATION of users and access methods: the lifetimes of grants, tokens and sessions. */
import { Duration, type Value } from '../../value/value.js';
import type { ComputedClauses, Durations, Expression } from '../ast.js';
import { durationText } from '../printer/clauses.js';
import type { Printer } from '../printer/printer.js';
import { type ClauseOf, NONE, type ReadClause, shownObject } from './clause.js';

interface Lasting {
  readonly durations: Durations;
  readonly computedClauses?: ComputedClauses;
}

type Lifetime = keyof Durations;

const HOUR = 3_600_000_000_000n;

/** The lifetimes of what has none of its own, in nanoseconds. */
export const DEFAULT_DURATIONS = {
  grant: 30n * 24n * HOUR,
  token: HOUR,
  session: undefined,
} as const satisfies Durations;

/** The row of `DURATION FOR TOKEN 1h, FOR SESSION NONE`; `words` name the lifetimes in errors. */
export function durationClause(lifetimes: readonly Lifetime[], words: string): ClauseOf<Lasting, 'durations'> {
  return {
    unset: {},
    parse: { DURATION: durationsReader(lifetimes, words) },
    text: (node, printer) =>
      printer.secrets ? durationsText(node, lifetimes, printer) : shownDurations(node, lifetimes, printer),
    altered: { text: (node, printer) => durationsText(node, lifetimes, printer) },
    structure: ({ durations }) => {
      const lifetime = (kind: Lifetime): Value | typeof NONE => {
        if (!(kind in durations)) return undefined;
        const nanoseconds = durations[kind];
        return nanoseconds === undefined ? NONE : new Duration(nanoseconds);
      };
      return {
        duration: shownObject({ grant: lifetime('grant'), session: lifetime('session'), token: lifetime('token') }),
      };
    },
  };
}

/** The lifetimes as INFO shows them, with defaults for those that aren't written. */
export function shownDurations(
  { durations, computedClauses }: Lasting,
  lifetimes: readonly Lifetime[],
  printer: Printer,
): string | undefined {
  const shown = { durations: { ...DEFAULT_DURATIONS, ...durations } };
  return durationsText(computedClauses === undefined ? shown : { ...shown, computedClauses }, lifetimes, printer);
}

function durationsText(
  { durations, computedClauses }: Lasting,
  lifetimes: readonly Lifetime[],
  printer: Printer,
): string | undefined {
  const parts: string[] = [];
  for (const kind of lifetimes) {
    const given = computedClauses?.durations?.[kind];
    if (given === undefined && !(kind in durations)) continue;
    const duration = durations[kind];
    const fixed = duration === undefined ? 'NONE' : durationText(duration);
    parts.push(`FOR ${kind.toUpperCase()} ${given === undefined ? fixed : printer.expression(given)}`);
  }
  return parts.length === 0 ? undefined : `DURATION ${parts.join(', ')}`;
}

function durationsReader(lifetimes: readonly Lifetime[], words: string): ReadClause<Lasting> {
  return (parser, { durations: before, computedClauses }) => {
    const fixed: { -readonly [K in Lifetime]?: bigint | undefined } = { ...before };
    const computed: { -readonly [K in Lifetime]?: Expression } = { ...computedClauses?.durations };
    if (!parser.isWord('FOR')) parser.unexpected('FOR');
    while (parser.acceptWord('FOR')) {
      const kind = lifetimes.find((name) => parser.isWord(name.toUpperCase()));
      if (kind === undefined) return parser.unexpected(words);
      parser.advance();
      const given = parser.expression();
      const value = given.kind === 'literal' ? given.value : given;
      if (value === undefined) fixed[kind] = undefined;
      else if (value instanceof Duration) fixed[kind] = value.nanoseconds;
      else computed[kind] = given;
      parser.acceptPunct(',');
    }
    if (Object.keys(computed).length === 0) return { durations: fixed };
    return { durations: fixed, computedClauses: { ...computedClauses, durations: computed } };
  };
}
