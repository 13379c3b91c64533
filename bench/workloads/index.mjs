import { CLIENT_METHODS } from './client-methods.mjs';
import { GRAPH_WORK } from './graph.mjs';
import { GRAPHQL } from './graphql.mjs';
import { GROWTH } from './growth.mjs';
import { INDEXES } from './indexes.mjs';
import { LATENCY } from './latency.mjs';
import { MEMORY } from './memory.mjs';
import { LISTS, NETWORK } from './network.mjs';
import { PERMISSIONS } from './permissions.mjs';
import { RECORDS } from './records.mjs';
import { SCANS } from './scans.mjs';
import { SESSIONS } from './sessions.mjs';
import { START } from './start.mjs';
import { STATEMENTS } from './statements.mjs';

/**
 * A table of the report: workloads of one kind.
 * @typedef {object} Family
 * @property {string} title
 * @property {import('../harness/contract.mjs').Workload[]} workloads
 * @property {true} [servers]  they ask servers, which have to start and to get warm: nothing for a quick run
 */

/** All workloads, by the tables in which they are reported. @type {readonly Family[]} */
export const FAMILIES = [
  { title: 'Statements', workloads: STATEMENTS },
  { title: 'Records', workloads: RECORDS },
  { title: 'Methods of the client', workloads: CLIENT_METHODS },
  { title: 'Scans', workloads: SCANS },
  { title: 'Indexes', workloads: INDEXES },
  { title: 'Graphs and links', workloads: GRAPH_WORK },
  { title: 'Permissions', workloads: PERMISSIONS },
  { title: 'Sessions and live queries', workloads: SESSIONS },
  { title: 'GraphQL in process', workloads: GRAPHQL },
  { title: 'Room', workloads: MEMORY },
  { title: 'Growth', workloads: GROWTH },
  { title: 'Over the network', workloads: NETWORK, servers: true },
  { title: 'Lists over HTTP', workloads: LISTS, servers: true },
  { title: 'Start', workloads: START, servers: true },
  { title: 'Latency', workloads: LATENCY, servers: true },
];

export const WORKLOADS = FAMILIES.flatMap(({ workloads }) => workloads);
