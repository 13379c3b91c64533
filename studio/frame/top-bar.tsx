/** The bar above a view: which database it shows, where in the Studio that is, the command palette, and the account. */
import { Button, Group, Kbd } from '@mantine/core';
import { spotlight } from '@mantine/spotlight';
import { SearchIcon } from '@primer/octicons-react';
import type { Connection } from '../connection/connection.js';
import type { SignedIn } from '../session/session.js';
import { AccountMenu } from './account-menu.js';
import { DatabaseSwitcher } from './database-switcher.js';
import { DocsLink } from './docs-link.js';
import { ViewBreadcrumbs } from './view-breadcrumbs.js';

interface Properties {
  readonly session: SignedIn;
  readonly connection: Connection | undefined;
}

export function TopBar({ session, connection }: Properties) {
  return (
    <Group component="header" className="top-bar" justify="space-between" wrap="nowrap">
      <Group gap="xs" wrap="nowrap" className="place">
        <DatabaseSwitcher session={session} connection={connection} />
        <ViewBreadcrumbs />
      </Group>
      <Group gap="xs" wrap="nowrap">
        <Button
          className="find"
          leftSection={<SearchIcon size={16} />}
          rightSection={
            <Kbd size="xs" aria-hidden>
              Ctrl K
            </Kbd>
          }
          onClick={spotlight.open}
        >
          Find
        </Button>
        <DocsLink />
        <AccountMenu session={session} connection={connection} />
      </Group>
    </Group>
  );
}
