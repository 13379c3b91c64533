import { checkRows } from './calls.js';

// The calls and what the reference engine answers.
checkRows([
  ["encoding::base64::encode(<bytes>'abcd')", "'YWJjZA'"],
  ["encoding::base64::encode(<bytes>'abcd',true)", "'YWJjZA=='"],
  [
    "encoding::base64::encode('abcd')",
    "Incorrect arguments for function encoding::base64::encode(). Argument 1 was the wrong type. Expected `bytes` but found `'abcd'`",
  ],
  ["encoding::base64::decode('YWJjZA')", 'b"61626364"'],
  ["encoding::base64::decode('YWJjZA==')", 'b"61626364"'],
  ["encoding::base64::decode('YWJjZB')", 'Incorrect arguments for function encoding::base64::decode(). invalid base64'],
  // Beyond the reference engine: base64url, of which tokens are made.
  ["encoding::base64::decode('YWJ-_w')", 'b"61627EFF"'],
  ["encoding::base64::decode('YWJ-_w==')", 'b"61627EFF"'],
  ["encoding::base64::decode('YWJ-/w')", 'Incorrect arguments for function encoding::base64::decode(). invalid base64'],
  [
    "encoding::base64::decode('YWJj ZA')",
    'Incorrect arguments for function encoding::base64::decode(). invalid base64',
  ],
  ["encoding::base64::decode('')", 'b""'],
  ['encoding::base64::encode(b"fbffbf")', "'+/+/'"],
  [
    "encoding::cbor::encode({a:1,b:[1.5,'x',NONE,NULL,1h,d'2020-01-01',a:1]})",
    'b"A2616101616287F93E006178C6F6F6CE81190E10CC821A5E0BE10000C882616101"',
  ],
  ['encoding::cbor::encode(1f)', 'b"F93C00"'],
  ['encoding::cbor::encode(1..2)', 'b"D83182D83201D83302"'],
  ['encoding::cbor::encode({1,2})', 'b"D838820102"'],
  ['encoding::cbor::encode(1dec)', 'b"CA6131"'],
  ['encoding::cbor::decode(b"a1616101")', '{ a: 1 }'],
  ['encoding::cbor::decode(b"a161")', 'Incorrect arguments for function encoding::cbor::decode(). invalid cbor'],
  [
    "encoding::base64::encode(<bytes>'ab',NONE)",
    'Incorrect arguments for function encoding::base64::encode(). Argument 2 was the wrong type. Expected `bool` but found `NONE`',
  ],
  ['bytes::len(b"0101")', '2'],
  [
    "bytes::len('abc')",
    "Incorrect arguments for function bytes::len(). Argument 1 was the wrong type. Expected `bytes` but found `'abc'`",
  ],
  [
    'bytes::len([1,2])',
    'Incorrect arguments for function bytes::len(). Argument 1 was the wrong type. Expected `bytes` but found `[1, 2]`',
  ],
]);
