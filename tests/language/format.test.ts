import { describe, expect, test } from 'vitest';
import { formatText } from '../../src/language/format.js';

describe('a statement on a line', () => {
  test.each([
    ['select * from person where age>18', 'SELECT * FROM person WHERE age > 18'],
    ['create person:1 content {name:"A",tags:[1,2]}', 'CREATE person:1 CONTENT { name: "A", tags: [1, 2] }'],
    ['return a.{b,c}; return {,}; return {;}', 'RETURN a.{ b, c };\nRETURN {,};\nRETURN {;}'],
    ['return a.{1..3+collect}->knows->person', 'RETURN a.{1..3+collect}->knows->person'],
    ['return |$a:int| $a+1; return |person:3|', 'RETURN |$a: int| $a + 1;\nRETURN |person:3|'],
    ['return [-1,a-1,!a] ; return <array<int,5>>$x', 'RETURN [-1, a - 1, !a];\nRETURN <array<int, 5>>$x'],
    ['select * from t where a @1,or@ "x" and v <|2,40|> $v', 'SELECT * FROM t WHERE a @1,OR@ "x" AND v <|2,40|> $v'],
    ['return a∈[1]; return (1_000+2)', 'RETURN a∈[1];\nRETURN (1_000 + 2)'],
    ['for $i in 0..3 { if $i>1 { break } }', 'FOR $i IN 0..3 { IF $i > 1 { BREAK } }'],
    [
      'define field a on b type option<string|int> permissions for select,create none',
      'DEFINE FIELD a ON b TYPE option<string|int> PERMISSIONS FOR select, create NONE',
    ],
    ['define user ann on root password "x" roles owner', 'DEFINE USER ann ON ROOT PASSWORD "x" ROLES owner'],
    ['return function($a) { return  1;  }', 'RETURN function($a) { return  1;  }'],
  ])('%s', (text, formatted) => expect(formatText(text)).toBe(`${formatted}\n`));
});

test('a statement that is too long begins a line with each clause', () => {
  const text =
    'select id,name,->knows->person.name as friends from person where age>=18 and (name="x" or name="y") order by name limit 9;';
  expect(formatText(text)).toBe(`SELECT id, name, ->knows->person.name AS friends
  FROM person
  WHERE age >= 18 AND (name = "x" OR name = "y")
  ORDER BY name
  LIMIT 9;
`);
});

test('what is defined stays behind DEFINE', () => {
  const text = `define function if not exists fn::one() { return 1 } permissions none comment "${'long '.repeat(10)}"`;
  expect(formatText(text)).toBe(`DEFINE FUNCTION IF NOT EXISTS fn::one() { RETURN 1 }
  PERMISSIONS NONE
  COMMENT "${'long '.repeat(10)}"
`);
});

test('a definition that is too long does, and a condition breaks before AND', () => {
  const text = `define field name on person type string
    assert string::len($value)>2 and string::len($value)<100 and $value not in ['admin', 'root', 'system', 'nobody']
    permissions for select full for create, update where $auth.role = 'administrator' or id = $auth.id or open;`;
  expect(formatText(text)).toBe(`DEFINE FIELD name ON person
  TYPE string
  ASSERT string::len($value) > 2
    AND string::len($value) < 100
    AND $value NOT IN ['admin', 'root', 'system', 'nobody']
  PERMISSIONS
    FOR select FULL
    FOR create, update WHERE $auth.role = 'administrator' OR id = $auth.id OR open;
`);
});

test('blocks of several statements and bodies have a line for each, and keep an empty line between', () => {
  const text = `define function fn::greet($name: string) -> string { let $a=1;


  if $a>0 {return $name} else {return 'x'}; create log set a=$a; };`;
  expect(formatText(text)).toBe(`DEFINE FUNCTION fn::greet($name: string) -> string {
  LET $a = 1;

  IF $a > 0 { RETURN $name } ELSE { RETURN 'x' };
  CREATE log SET a = $a;
};
`);
});

test('a long object at the end breaks alone, and long lists of numbers fill lines', () => {
  const numbers = Array.from({ length: 30 }, (_, index) => `0.${index + 10}`);
  expect(formatText(`create t content {name:'${'x'.repeat(90)}', v:[${numbers}]}`)).toBe(`CREATE t CONTENT {
  name: '${'x'.repeat(90)}',
  v: [
    ${numbers.slice(0, 16).join(', ')},
    ${numbers.slice(16).join(', ')}
  ]
}
`);
});

test('comments stay where they are', () => {
  const text = `# a file


/* of
   two lines */
create a set -- of a
  b=1 -- of b
  , c=2; // at the end
let $x=[ -- opens
  1, /* one */ 2
  -- dangling
];
select * from a
-- where b
;
-- end`;
  expect(formatText(text)).toBe(`# a file

/* of
   two lines */
CREATE a
  SET -- of a
    b = 1, -- of b
    c = 2; // at the end
LET $x = [ -- opens
  1, /* one */
  2
  -- dangling
];
SELECT * FROM a
-- where b
;
-- end
`);
});

test('a comment before the comma that ends a statement stays once where the statement is kept as it is written', () => {
  const text = 'DEFINE TABLE t PERMISSIONS FOR create NONE \n\n// one\nFOR update WHERE a -- two\n,\n';
  expect(formatText(text)).toBe(text);
});

test('definitions get nothing that was not written', () => {
  expect(formatText('define table person;define user a on root passhash "x"')).toBe(
    'DEFINE TABLE person;\nDEFINE USER a ON ROOT PASSHASH "x"\n',
  );
});

test('what has no statements stays as it is', () => {
  expect(formatText('')).toBe('');
  expect(formatText(' \n ')).toBe('');
  expect(formatText('-- only this')).toBe('-- only this\n');
  expect(formatText(';;')).toBe(';;\n');
});

test('an error shows its place', () => {
  expect(() => formatText('select * form person')).toThrow(/\[1:\d+\]/);
});

test('long texts are laid out in one go', () => {
  const text = `create t content { v: [${Array.from({ length: 50_000 }, (_, index) => `'${index}'`)}] };`;
  expect(formatText(text).split('\n')).toHaveLength(50_005);
});
