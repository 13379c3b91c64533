/** Permissions: who may do what with which table, what another user sees, and why. */
import './permissions.css';
import type { ViewProperties } from '../../base/view-properties.js';
import { Notice } from '../../components/notice.js';
import { PageHeader } from '../../components/page-header.js';
import type { Connection } from '../../connection/connection.js';
import { loadDefinitions } from '../../connection/definitions.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { CompareForm } from './compare-form.js';
import { ExplainForm } from './explain-form.js';
import { PermissionMatrix } from './permission-matrix.js';
import { ViewAsForm } from './view-as-form.js';

export function View({ connection }: ViewProperties) {
  const isSystemUser = ['root', 'namespace', 'database'].includes(connection.session.level);
  return (
    <>
      <PageHeader
        title={`Permissions in ${connection.session.database}`}
        description="What each kind of user may do with each table, by its PERMISSIONS."
      />
      <PermissionMatrix connection={connection} />
      {connection.viewed !== undefined ? (
        <Notice kind="information">End the view to have another one, or to have permissions explained.</Notice>
      ) : (
        isSystemUser && <OwnersTools connection={connection} />
      )}
    </>
  );
}

function OwnersTools({ connection }: { readonly connection: Connection }) {
  const { data = [] } = useLoaded(async () => (await loadDefinitions(connection)).ACCESS, [connection]);
  const accesses = data.map(({ name }) => name);
  return (
    <>
      <ViewAsForm connection={connection} accesses={accesses} />
      <CompareForm connection={connection} accesses={accesses} />
      <ExplainForm connection={connection} />
    </>
  );
}
