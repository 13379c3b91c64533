/** The views to choose from, each with its icon. It collapses to the icons; on a phone it is the bar below the view. */
import { ActionIcon, NavLink, Tooltip } from '@mantine/core';
import { SidebarCollapseIcon, SidebarExpandIcon } from '@primer/octicons-react';
import type { Level } from '../../pages/session.js';
import { keptStore } from '../base/kept.js';
import { hrefOf, route } from '../base/route.js';
import { useStore } from '../base/store.js';
import { useOfferedViews } from './offered-views.js';
import { FIRST_VIEW } from './views.js';

const width = keptStore('side-bar', 'wide', ['wide', 'narrow'] as const);

export function SideBar({ level }: { readonly level: Level }) {
  const shown = useStore(route).view || FIRST_VIEW;
  const isNarrow = useStore(width) === 'narrow';
  const Toggle = isNarrow ? SidebarCollapseIcon : SidebarExpandIcon;
  return (
    <div className="side-bar" data-narrow={isNarrow}>
      <strong className="brand">{isNarrow ? 'T' : 'Tessera'}</strong>
      <nav aria-label="Views">
        {useOfferedViews(level).map(([name, { title, icon: Icon }]) => (
          <Tooltip key={name} label={title} position="right" disabled={!isNarrow}>
            <NavLink
              href={hrefOf(name)}
              label={title}
              leftSection={<Icon size={20} />}
              active={name === shown}
              aria-current={name === shown ? 'page' : undefined}
            />
          </Tooltip>
        ))}
      </nav>
      <ActionIcon
        className="toggle"
        aria-label={isNarrow ? 'Widen the side bar' : 'Narrow the side bar'}
        onClick={() => {
          width.value = isNarrow ? 'wide' : 'narrow';
        }}
      >
        <Toggle size={20} />
      </ActionIcon>
    </div>
  );
}
