/** A line of text for which words are offered while one types. By itself, since the form to sign in needs none of it. */
import { Autocomplete } from '@mantine/core';
import type { FieldProperties } from './field.js';

interface Properties extends Omit<FieldProperties, 'type' | 'autocomplete' | 'isFirst'> {
  readonly suggestions: readonly string[];
}

export function SuggestionField({ hint, suggestions, ...rest }: Properties) {
  return (
    <Autocomplete
      {...rest}
      {...(hint !== undefined && { description: hint })}
      data={[...suggestions]}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
