/** Query: tabs, each with a query of its own, whose names and texts the browser keeps. */
import { Button, Group, Tabs } from '@mantine/core';
import './query.css';
import { useEffect, useState } from 'react';
import type { ViewProperties } from '../../base/view-properties.js';
import { PageHeader } from '../../components/page-header.js';
import { toast } from '../../components/toast.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { loadNames } from './completion.js';
import { QueryPage } from './query-page.js';
import { keepTabs, keptTabs, type QueryTab, withMovedTab, withNewTab } from './query-tabs.js';
import { TabMenu } from './tab-menu.js';

export function View(properties: ViewProperties) {
  const { namespace, database } = properties.connection.session;
  return <QueryTabs key={JSON.stringify([namespace, database])} {...properties} />;
}

function QueryTabs({ connection }: ViewProperties) {
  const { namespace, database } = connection.session;
  const [tabs, setTabs] = useState(() => keptTabs(namespace, database));
  const [shown, setShown] = useState(tabs[0]?.id ?? 0);
  // A tab that was shown goes on, hidden: its run, its results, and what its editor can undo.
  const [opened, setOpened] = useState<readonly number[]>([shown]);
  const names = useLoaded(() => loadNames(connection), [connection]);
  useEffect(() => keepTabs(namespace, database, tabs), [namespace, database, tabs]);
  const show = (id: number) => {
    setShown(id);
    setOpened((last) => (last.includes(id) ? last : [...last, id]));
  };
  const add = () => {
    const changed = withNewTab(tabs);
    setTabs(changed);
    show(changed.at(-1)?.id ?? 0);
  };
  const close = (tab: QueryTab) => {
    const at = tabs.indexOf(tab);
    const rest = tabs.toSpliced(at, 1);
    const next = rest.length === 0 ? withNewTab(rest) : rest;
    setTabs(next);
    setOpened((last) => last.filter((id) => id !== tab.id));
    show(next[Math.min(at, next.length - 1)]?.id ?? 0);
    const undo = () => {
      setTabs((last) => last.toSpliced(at, 0, tab));
      show(tab.id);
    };
    toast(`Closed ${tab.name}`, tab.text.trim() === '' ? {} : { undo });
  };
  const changeTab = (id: number, changed: Partial<QueryTab>) =>
    setTabs((last) => last.map((tab) => (tab.id === id ? { ...tab, ...changed } : tab)));
  const current = tabs.find(({ id }) => id === shown);
  return (
    <div className="query">
      <PageHeader title="Query" />
      <Tabs value={String(shown)} onChange={(id) => show(Number(id))} keepMounted keepMountedMode="display-none">
        <Group mb="md" gap="xs">
          <Tabs.List aria-label="Queries">
            {tabs.map(({ id, name }) => (
              <Tabs.Tab key={id} value={String(id)}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Button variant="subtle" onClick={add}>
            New tab
          </Button>
          {current !== undefined && (
            <TabMenu
              key={current.id}
              name={current.name}
              onRename={(name) => changeTab(current.id, { name })}
              onMove={(by) => setTabs((last) => withMovedTab(last, current, by))}
              canMove={(by) => tabs[tabs.indexOf(current) + by] !== undefined}
              onClose={() => close(current)}
            />
          )}
        </Group>
        {tabs.map(({ id, text }) => (
          <Tabs.Panel key={id} value={String(id)}>
            {opened.includes(id) && (
              <QueryPage
                connection={connection}
                names={names.data ?? []}
                initial={text}
                onText={(changed) => changeTab(id, { text: changed })}
              />
            )}
          </Tabs.Panel>
        ))}
      </Tabs>
    </div>
  );
}
