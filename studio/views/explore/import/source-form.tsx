/** Chooses what is imported: a file, or a text that is pasted, and how it is written. */
import { Group, Input, Stack } from '@mantine/core';
import { CheckboxField, SelectField, TextAreaField } from '../../../components/field.js';
import { Notice } from '../../../components/notice.js';
import { DELIMITERS } from './read-csv.js';
import { SOURCE_FORMATS } from './source-rows.js';
import type { Source } from './use-source.js';

/** Of a file, characters that are shown to be changed. */
const LONGEST = 100_000;

export function SourceForm({ source, disabled }: { readonly source: Source; readonly disabled: boolean }) {
  const { text, format, csv, fault } = source;
  const isLong = text.length > LONGEST;
  return (
    <Stack>
      <Input.Wrapper label="File" id="import-file">
        <input
          id="import-file"
          type="file"
          className="file"
          accept=".csv,.tsv,.txt,.json,.ndjson,.jsonl,text/csv,application/json"
          disabled={disabled}
          onChange={({ currentTarget: { files } }) => {
            const [file] = files ?? [];
            if (file !== undefined) void source.setFile(file);
          }}
        />
      </Input.Wrapper>
      <TextAreaField
        label="Or paste it here"
        rows={5}
        disabled={disabled || isLong}
        value={isLong ? text.slice(0, 2000) : text}
        onChange={source.setText}
        {...(isLong && { hint: 'The beginning of the file' })}
      />
      <Group align="end">
        <SelectField
          label="Format"
          value={format}
          options={SOURCE_FORMATS}
          disabled={disabled}
          onChange={source.setFormat}
        />
        {format === 'csv' && (
          <>
            <SelectField
              label="Between cells"
              value={csv.delimiter}
              options={DELIMITERS}
              disabled={disabled}
              onChange={(delimiter) => source.setCsv({ ...csv, delimiter })}
            />
            <CheckboxField
              label="The first row has the names of the columns"
              checked={csv.hasNames}
              disabled={disabled}
              onChange={(hasNames) => source.setCsv({ ...csv, hasNames })}
            />
          </>
        )}
      </Group>
      {fault !== '' && <Notice kind="error">{fault}</Notice>}
    </Stack>
  );
}
