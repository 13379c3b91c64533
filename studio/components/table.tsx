/** A table of a few hundred rows at most, which scrolls sideways where it is too wide. Longer ones are for the grid of Explore. */
import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly title: string;
  /** What a cell shows. */
  cell(row: Row): ComponentChildren;
  readonly align?: 'end';
}

interface Properties<Row> {
  /** What the table holds, for those who don't see it. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** What is said where there are no rows. */
  readonly empty?: string;
  keyOf(row: Row, at: number): string | number;
}

export function Table<Row>({ caption, columns, rows, empty = 'Nothing here', keyOf }: Properties<Row>) {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section class="scrolling" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, align }) => (
              <th key={title} scope="col" class={align}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={keyOf(row, at)}>
              {columns.map(({ title, align, cell }) => (
                <td key={title} class={align}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
