/** The tables and what links them, as a picture and as a list that says the same. */
import { Anchor } from '@mantine/core';
import { useId, useMemo } from 'react';
import { hrefOf } from '../../base/route.js';
import { ScrollingTable } from '../../components/data-table.js';
import { Failure } from '../../components/failure.js';
import { Loading } from '../../components/loading.js';
import { NoTables } from '../../components/no-tables.js';
import { PageHeader } from '../../components/page-header.js';
import type { Connection } from '../../connection/connection.js';
import { loadTableParts } from '../../connection/definitions.js';
import type { TableParts } from '../../connection/table-parts.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { type Box, type Line, layOut, shortened } from './layout.js';
import { type Link, linksOf } from './links.js';

export function DiagramPage({ connection }: { readonly connection: Connection }) {
  const { data, error } = useLoaded(() => loadTableParts(connection), [connection]);
  return (
    <>
      <PageHeader title={`Diagram of ${connection.session.database}`}>
        <Anchor size="sm" href={hrefOf('schema')}>
          All definitions
        </Anchor>
      </PageHeader>
      {error !== undefined && <Failure error={error} seenBy="system users of the database" />}
      {data === undefined ? error === undefined && <Loading /> : <Tables tables={data} />}
    </>
  );
}

function Tables({ tables }: { readonly tables: readonly TableParts[] }) {
  const links = useMemo(() => linksOf(tables), [tables]);
  if (tables.length === 0) return <NoTables />;
  return (
    <>
      <Picture tables={tables} links={links} />
      <h2>Tables and links</h2>
      <ul aria-label="Tables and links">
        {tables.map(({ name, kind }) => (
          <li key={name}>
            <a href={hrefOf('schema', ['table', name])}>{name}</a>
            {kind.kind === 'RELATION' && ' (edges)'}
            {links.filter(({ of }) => of === name).map((link) => ` · ${sentence(link)}`)}
          </li>
        ))}
      </ul>
    </>
  );
}

function sentence({ of, from, to, label }: Link): string {
  return of === from ? `${label} leads to ${to}` : `${label} comes from ${from}`;
}

function Picture({ tables, links }: { readonly tables: readonly TableParts[]; readonly links: readonly Link[] }) {
  const { width, height, boxes, lines } = useMemo(() => layOut(tables, links), [tables, links]);
  const arrow = useId();
  return (
    <ScrollingTable label="Diagram">
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${boxes.length} tables and ${lines.length} links; the list below says which`}
      >
        <defs>
          <marker id={arrow} viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
            <path d="M0 0 8 4 0 8z" />
          </marker>
        </defs>
        {lines.map((line) => (
          <LinkLine key={JSON.stringify(line.link)} line={line} arrow={arrow} />
        ))}
        {boxes.map((box) => (
          <TableBox key={box.name} box={box} />
        ))}
      </svg>
    </ScrollingTable>
  );
}

function LinkLine({ line, arrow }: { readonly line: Line; readonly arrow: string }) {
  const points = line.points.map(({ x, y }) => `${x} ${y}`);
  return (
    <g>
      <path d={`M${points.join('L')}`} markerEnd={`url(#${arrow})`} />
      <text className="label" x={line.x} y={line.y}>
        {shortened(line.link.label)}
      </text>
    </g>
  );
}

function TableBox({ box: { name, isRelation, x, y, width, height } }: { readonly box: Box }) {
  const radius = isRelation ? height / 2 : 4;
  return (
    <g className={isRelation ? 'relation' : 'table'}>
      <rect x={x - width / 2} y={y - height / 2} width={width} height={height} rx={radius} />
      <text x={x} y={y}>
        {shortened(name)}
      </text>
    </g>
  );
}
