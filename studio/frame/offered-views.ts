/** The views that a user is offered: those that work for them. */
import type { Level } from '../../pages/session.js';
import { hasGraphqlPage } from '../connection/graphql-page.js';
import { isSystemLevel } from '../connection/levels.js';
import { useLoaded } from '../connection/use-loaded.js';
import { isOfferedTo, VIEWS, type ViewEntry } from './views.js';

export type OfferedView = readonly [name: string, entry: ViewEntry];

/** In their order. System users see where GraphQL would be, with how it is switched on. */
export function useOfferedViews(level: Level): readonly OfferedView[] {
  const isSystem = isSystemLevel(level);
  const { data: hasGraphql = true } = useLoaded(async () => isSystem || hasGraphqlPage(), [isSystem]);
  return Object.entries(VIEWS).flatMap(([name, entry]): OfferedView[] => {
    if (!isOfferedTo(level, entry) || (name === 'graphql' && !hasGraphql)) return [];
    const { parts = {}, openParts } = entry;
    if (isSystem || openParts === undefined) return [[name, entry]];
    const open = Object.entries(parts).filter(([part]) => openParts.includes(part));
    return [[name, { ...entry, parts: Object.fromEntries(open) }]];
  });
}
