/** What both users see, beside each other, with marks where that differs. */
import { Table, Text, VisuallyHidden } from '@mantine/core';
import { ScrollingTable } from '../../components/data-table.js';
import { Value } from '../../components/value.js';
import { describeUser } from '../../connection/viewed-user.js';
import type { Answer, ComparedRow, Comparison } from './comparison.js';

/** Rows that are shown; a comparison is made to be read. */
const MOST_SHOWN = 200;

export function CompareTable({ comparison: { users, answers, rows } }: { readonly comparison: Comparison }) {
  const [first, second] = users.map(describeUser);
  return (
    <ScrollingTable label="Comparison">
      <Table className="comparison">
        <VisuallyHidden component="caption">What both users see</VisuallyHidden>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{first}</Table.Th>
            <Table.Th scope="col">{second}</Table.Th>
            <Table.Th scope="col">Why</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows === undefined ? (
            <Table.Tr>
              {answers.map((answer, at) => (
                <Table.Td key={users[at]?.kind}>
                  <AnswerCell answer={answer} />
                </Table.Td>
              ))}
              <Table.Td />
            </Table.Tr>
          ) : (
            sorted(rows)
              .slice(0, MOST_SHOWN)
              .map((row) => <ComparedCells key={row.id.toString()} row={row} />)
          )}
        </Table.Tbody>
      </Table>
    </ScrollingTable>
  );
}

/** What differs stands first. */
function sorted(rows: readonly ComparedRow[]): readonly ComparedRow[] {
  return rows.toSorted((one, other) => Number(one.isSame) - Number(other.isSame));
}

function AnswerCell({ answer }: { readonly answer: Answer }) {
  return answer.ok ? <Value value={answer.value} whole /> : <Text c="red">{answer.error.message}</Text>;
}

function ComparedCells({ row }: { readonly row: ComparedRow }) {
  const { rows, fields, isSame, why } = row;
  return (
    <Table.Tr className={isSame ? '' : 'different'}>
      <SideCell row={rows[0]} isSame={isSame} fields={fields} />
      <SideCell row={rows[1]} isSame={isSame} fields={fields} />
      <Table.Td>
        {isSame ? (
          <Text span c="dimmed" size="sm">
            the same
          </Text>
        ) : (
          <ul>
            {why.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

interface SideProperties {
  readonly row: Readonly<Record<string, unknown>> | undefined;
  readonly isSame: boolean;
  readonly fields: readonly string[];
}

function SideCell({ row, isSame, fields }: SideProperties) {
  if (row === undefined) return <Table.Td className="unseen-row">not seen</Table.Td>;
  const { id, ...rest } = row;
  const shown = fields.length === 0 ? rest : Object.fromEntries(fields.map((name) => [name, row[name]]));
  return (
    <Table.Td>
      <Value value={id} whole />{' '}
      {!isSame && fields.length > 0 && (
        <Text span size="sm">
          {fields.join(', ')}:{' '}
        </Text>
      )}
      <Value value={shown} whole />
    </Table.Td>
  );
}
