/** A query that is @live: its response is sent again whenever a commit has changed it. */
import { DirectiveLocation, GraphQLDirective, getDirectiveValues, type OperationDefinitionNode } from 'graphql';

import { SCALARS } from '../base/scalars.js';

export const LIVE = new GraphQLDirective({
  name: 'live',
  description: 'The response is sent again whenever it has changed.',
  locations: [DirectiveLocation.QUERY],
  args: {
    every: {
      type: SCALARS.Int,
      description: 'Milliseconds, at least 100, after which it is looked at in any case: for what depends on the time.',
    },
  },
});

/** Of a query that is @live: its period, if it has one. */
export function liveOf(
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): { readonly every: number | undefined } | undefined {
  const values = getDirectiveValues(LIVE, operation, variables);
  if (values === undefined) return undefined;
  const every = values['every'];
  return { every: every === undefined || every === null ? undefined : Number(every) };
}
