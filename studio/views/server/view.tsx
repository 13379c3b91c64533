/** Server: what it does at present, the nodes, and the settings. */

import type { ViewProperties } from '../../base/view-properties.js';
import { Notice } from '../../components/notice.js';
import { PageHeader } from '../../components/page-header.js';
import { Charts } from './charts.js';
import { FailedEvents } from './failed-events.js';
import { LogSections } from './log-sections.js';
import { Nodes } from './nodes.js';
import './server.css';
import { Settings } from './settings.js';
import { StartSettings } from './start-settings.js';

export function View({ connection }: ViewProperties) {
  const { level, token, database } = connection.session;
  const isSystem = level === 'root' || level === 'namespace' || level === 'database';
  const isRoot = level === 'root' && token !== undefined;
  return (
    <>
      <PageHeader title="Server" />
      {isRoot ? (
        <>
          <Charts token={token} />
          <Nodes connection={connection} />
          <LogSections token={token} />
          <StartSettings token={token} />
        </>
      ) : (
        <Notice kind="information">Users of the root see metrics and nodes.</Notice>
      )}
      {isSystem && database !== '' && <FailedEvents connection={connection} />}
      {isSystem && <Settings connection={connection} />}
    </>
  );
}
