/** Where in the Studio the page is: the view, and what of it the address names. */
import { Anchor, Breadcrumbs, Text } from '@mantine/core';
import { hrefOf, type Route, route } from '../base/route.js';
import { useStore } from '../base/store.js';
import { FIRST_VIEW, viewNamed } from './views.js';

interface Crumb {
  readonly title: string;
  readonly path: readonly string[];
}

export function ViewBreadcrumbs() {
  const shown = useStore(route);
  const crumbs = crumbsOf(shown);
  return (
    <nav aria-label="Breadcrumbs" className="crumbs">
      <Breadcrumbs separatorMargin={6}>
        {crumbs.map(({ title, path }, at) =>
          at === crumbs.length - 1 ? (
            <Text key={title} span size="sm" aria-current="page" truncate>
              {title}
            </Text>
          ) : (
            <Anchor key={title} size="sm" href={hrefOf(shown.view, path)}>
              {title}
            </Anchor>
          ),
        )}
      </Breadcrumbs>
    </nav>
  );
}

/** `Explore`, `Explore › person`, `Explore › person › person:ann`, `People › Users`. */
function crumbsOf({ view, path: [kind, name = ''] }: Route): readonly Crumb[] {
  const entry = viewNamed(view || FIRST_VIEW);
  if (entry === undefined) return [];
  const first = { title: entry.title, path: [] };
  const part = kind === undefined ? undefined : entry.parts?.[kind];
  if (part !== undefined) return [first, { title: part, path: [] }];
  if (kind === 'table') return [first, { title: name, path: [] }];
  if (kind === 'record') {
    const table = /^[A-Za-z_]\w*(?=:)/.exec(name)?.[0];
    const within = table === undefined ? [] : [{ title: table, path: ['table', table] }];
    return [first, ...within, { title: name, path: [] }];
  }
  return [first];
}
