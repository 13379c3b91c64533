/** Permissions: who may do what with which table, what another user sees, and why. */
import './permissions.css';
import { Notice } from '../../components/notice.js';
import type { ViewProperties } from '../../frame/view-properties.js';
import { ExplainForm } from './explain-form.js';
import { PermissionMatrix } from './permission-matrix.js';
import { ViewAsForm } from './view-as-form.js';

export function View({ connection }: ViewProperties) {
  return (
    <>
      <h1>Permissions in {connection.session.database}</h1>
      <PermissionMatrix connection={connection} />
      {connection.viewed === undefined ? (
        <>
          <ViewAsForm connection={connection} />
          <ExplainForm connection={connection} />
        </>
      ) : (
        <Notice kind="information">End the view to have another one, or to have permissions explained.</Notice>
      )}
    </>
  );
}
