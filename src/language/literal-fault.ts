/** The error in the content of an invalid `d'…'`, `u'…'`, `b'…'` or `f'…'`, and its position. */

/** A stretch of the content, by offsets, with what to say about it. */
export interface LiteralFault {
  readonly what: string;
  readonly start: number;
  readonly end: number;
  readonly label?: string;
}

const at = (start: number, what: string, label?: string): LiteralFault => ({
  what,
  start,
  end: start + 1,
  ...(label !== undefined && { label }),
});

/** The character at an offset, whole even where it takes two units. */
function characterAt(text: string, offset: number): string {
  return String.fromCodePoint(text.codePointAt(offset) as number);
}

// ─── Datetimes ───

/** Sections of digits and what stands between: `2024-01-01`, `T`, `00:00:00`, `.5`, `Z` or `+01:00`. */
export function datetimeFault(text: string): LiteralFault {
  const signs = text.startsWith('+') || text.startsWith('-') ? 1 : 0;
  const year = /^\d*/.exec(text.slice(signs))?.[0].length ?? 0;
  const dateEnd = signs + Math.max(year, 4) + '-01-01'.length;
  return (
    digitsFault(text, signs, 4) ??
    separated(text, signs + year, '-', 1, 12) ??
    separated(text, signs + year + 3, '-', 1, 31) ??
    timeFault(text, dateEnd) ?? {
      what: 'Invalid Datetime date: date outside of valid range',
      start: 0,
      end: dateEnd,
    }
  );
}

function timeFault(text: string, dateEnd: number): LiteralFault | undefined {
  if (text.length === dateEnd) return undefined;
  const found = characterAt(text, dateEnd);
  if (!'Tt '.includes(found)) return at(dateEnd, `Unexpected character \`${found}\`, expected time seperator \`T\``);
  const start = dateEnd + 1;
  const fault =
    digitsFault(text, start, 2) ??
    sectionFault(text, start, 0, 24) ??
    separated(text, start + 2, ':', 0, 59) ??
    separated(text, start + 5, ':', 0, 60) ??
    fractionFault(text, dateEnd, start + 8);
  if (fault !== undefined) return fault;
  if (text.startsWith('24', start) || text.startsWith('60', start + 6)) {
    return { what: 'Invalid Datetime time: time outside of valid range', start, end: start + 8 };
  }
  return undefined;
}

function fractionFault(text: string, dateEnd: number, secondsEnd: number): LiteralFault | undefined {
  if (text[secondsEnd] !== '.') return zoneFault(text, dateEnd, secondsEnd);
  const digits = /^\d*/.exec(text.slice(secondsEnd + 1))?.[0].length ?? 0;
  if (digits === 0) return at(secondsEnd + 1, 'Invalid datetime nanoseconds, expected at least a single digit');
  return zoneFault(text, dateEnd, secondsEnd + 1 + digits);
}

function zoneFault(text: string, dateEnd: number, start: number): LiteralFault | undefined {
  if (start >= text.length) return at(start, 'Invalid end of datetime, expected datetime timezone');
  const found = characterAt(text, start);
  if (found === '+' || found === '-') {
    return (
      digitsFault(text, start + 1, 2) ??
      sectionFault(text, start + 1, 0, 23) ??
      separated(text, start + 3, ':', 0, 59) ??
      restFault(text, start + 6)
    );
  }
  if (found === 'Z' || found === 'z') return restFault(text, start + 1);
  // The peer points at everything behind the date.
  const what = `Unexpected character \`${found}\`, expected \`Z\` or a timezone offset.`;
  return { what, start: dateEnd, end: start + found.length };
}

function restFault(text: string, start: number): LiteralFault | undefined {
  return start < text.length
    ? at(start, 'Unexpected characters in the string, expected the datetime to end')
    : undefined;
}

/** A separator and two digits with their bounds. */
function separated(
  text: string,
  start: number,
  separator: string,
  least: number,
  most: number,
): LiteralFault | undefined {
  if (start >= text.length) {
    return at(start, `Expected end of string, expected datetime seperator character \`${separator}\``);
  }
  const found = characterAt(text, start);
  if (found !== separator) {
    return at(start, `Unexpected character \`${found}\`, expected datetime seperator characters \`${separator}\``);
  }
  return digitsFault(text, start + 1, 2) ?? sectionFault(text, start + 1, least, most);
}

function digitsFault(text: string, start: number, count: number): LiteralFault | undefined {
  for (let offset = start; offset < start + count; offset++) {
    if (offset >= text.length) return at(offset, 'Expected end of datetime, expected datetime digit character');
    const found = characterAt(text, offset);
    if (!/\d/.test(found)) return at(offset, `Invalid datetime, expected digit character found \`${found}\``);
  }
  return undefined;
}

function sectionFault(text: string, start: number, least: number, most: number): LiteralFault | undefined {
  const value = Number(text.slice(start, start + 2));
  if (value >= least && value <= most) return undefined;
  return {
    what: 'Invalid datetime digit section, section not within allowed range',
    start,
    end: start + 2,
    label: `This section must be within ${least}..=${most}`,
  };
}

// ─── The others ───

const UUID_SHAPE = 'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx';

/** The error in a uuid with hyphens. */
export function uuidFault(text: string): LiteralFault | undefined {
  for (let offset = 0; offset < UUID_SHAPE.length; offset++) {
    if (offset >= text.length) return at(offset, 'Unexpected end of string, expected UUID token to finish');
    const found = characterAt(text, offset);
    if (UUID_SHAPE[offset] === '-') {
      if (found !== '-') return at(offset, `Unexpected character \`${found}\`, expected byte seperator \`-\``);
    } else if (!/[0-9a-fA-F]/.test(found)) {
      return at(offset, `Unexpected character \`${found}\` expected hexidecimal digit`);
    }
  }
  return text.length > UUID_SHAPE.length
    ? at(UUID_SHAPE.length, 'Unexpected characters in the string, expected the UUID to end')
    : undefined;
}

export function bytesFault(text: string): LiteralFault {
  const offset = text.search(/[^0-9a-fA-F]/);
  if (offset === -1) return at(text.length, 'Unexpected end of byte-string, expected a hexidecimal digit');
  return at(offset, `Unexpected character \`${characterAt(text, offset)}\`, expected a hexidecimal digit`);
}

/** The error in `bucket:/key`. */
export function fileFault(text: string): LiteralFault | undefined {
  const bucketEnd = text.search(/[^A-Za-z0-9_.-]/);
  if (bucketEnd === -1) return at(text.length, 'Unexpected end of file string, missing bucket seperator `:/`');
  if (text[bucketEnd] !== ':') return wrongCharacter(text, bucketEnd, 'buckets', '`_`, `-`, and `.`');
  const slash = bucketEnd + 1;
  if (slash >= text.length) return at(slash, 'Unexpected end of file string, missing file string key.');
  if (text[slash] !== '/') return at(slash, `Unexpected character \`${characterAt(text, slash)}\`, expected \`/\``);
  const wrong = text.slice(slash).search(/[^A-Za-z0-9_./-]/);
  return wrong === -1 ? undefined : wrongCharacter(text, slash + wrong, "key's", '`_`, `-`, `.`, and `/`');
}

function wrongCharacter(text: string, offset: number, part: string, besides: string): LiteralFault {
  const found = characterAt(text, offset);
  return at(
    offset,
    `Unexpected character \`${found}\`, file strings ${part} only allow alpha numeric characters and ${besides}`,
  );
}
