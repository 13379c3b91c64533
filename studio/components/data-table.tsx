/** A table of a few hundred rows at most, which scrolls sideways where it is too wide. Longer ones are for the grid of Explore. */
import { Table, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly title: string;
  /** What a cell shows. */
  cell(row: Row): ReactNode;
  readonly align?: 'end';
}

interface Properties<Row> {
  /** What the table holds, for those who don't see it. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** What is said where there are no rows. */
  readonly empty?: ReactNode;
  keyOf(row: Row, at: number): string | number;
}

export function DataTable<Row>({ caption, columns, rows, empty = 'Nothing here', keyOf }: Properties<Row>) {
  if (rows.length === 0) return <Text c="dimmed">{empty}</Text>;
  return (
    <ScrollingTable label={caption}>
      <Table>
        <VisuallyHidden component="caption">{caption}</VisuallyHidden>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ title, align }) => (
              <Table.Th key={title} scope="col" className={align}>
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, at) => (
            <Table.Tr key={keyOf(row, at)}>
              {columns.map(({ title, align, cell }) => (
                <Table.Td key={title} className={align}>
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollingTable>
  );
}

/** What scrolls has to be reached by keyboard, and so has a name. */
export function ScrollingTable({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className="scrolling" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
