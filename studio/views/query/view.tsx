/** Query */
import type { ViewProperties } from '../../frame/view-properties.js';

export function View({ connection }: ViewProperties) {
  return <h1>Query {connection.session.database}</h1>;
}
