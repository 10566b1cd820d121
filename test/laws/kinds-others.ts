/**
 * Kinds of columns that hold neither numbers, strings nor times, such as booleans, JSON, arrays,
 * bytes, network addresses and ranges.
 */
import fc from 'fast-check'
import type { Kind } from './kinds.js'
import { anyText } from './kinds-texts.js'

/**
 * The value with the members of all objects in a fixed order. Objects that differ only in the order
 * of their members are equal.
 */
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, inner]) => [name, sorted(inner)]),
        )
      : value
const sameJson = (value: unknown): string => JSON.stringify(sorted(value))

const json = fc
  .jsonValue({ maxDepth: 2, stringUnit: 'grapheme' })
  .map((value) => JSON.parse(JSON.stringify(value)))
  .filter((value) => !/\\u0000|\\u[dD][89a-fA-F]|__proto__/.test(JSON.stringify(value)))
const object = fc
  .dictionary(fc.constantFrom('a', 'b', 'c d', 'ñ', "'", '"', '1'), json, { maxKeys: 3 })
  .map((value) => ({ ...value }))

const textual = (name: string, type: string, values: readonly string[], more: Partial<Kind> = {}): Kind => ({
  name,
  type,
  schema: { type: 'string' },
  values: fc.constantFrom(...values),
  compares: 'equality',
  keyable: false,
  optional: true,
  foreign: values.map((value) => `'${value}'`),
  ...more,
})

export const otherKinds: readonly Kind[] = [
  {
    name: 'boolean',
    type: 'boolean',
    schema: { type: 'boolean' },
    values: fc.boolean(),
    spellings: (value) => [value ? 't' : 'f', value ? 'TRUE' : 'FALSE', value ? '1' : '0', ` ${value}`],
    compares: 'equality',
    keyable: true,
  },
  {
    name: 'jsonb',
    type: 'jsonb',
    schema: { type: 'object', additionalProperties: true },
    values: object,
    means: sameJson,
    compares: 'none',
    keyable: false,
    foreign: [`'{"b": 1, "a": {"n": 1.10}}'`, `'{}'`],
    inexact: [`'{"n": 12345678901234567890}'`, `'[1]'`, `'null'`],
  },
  {
    name: 'json',
    type: 'json',
    schema: { type: 'object', additionalProperties: true },
    values: object,
    means: sameJson,
    compares: 'none',
    keyable: false,
    foreign: [`'{ "b":1,  "a":2 }'`],
    inexact: [`'{"a": 1, "a": 2}'`, `'{"n": 1e400}'`],
  },
  {
    name: 'jsonb list',
    type: 'jsonb',
    schema: { type: 'array', items: { type: 'string' } },
    values: fc.array(anyText, { maxLength: 3 }),
    means: sameJson,
    compares: 'contains',
    keyable: false,
  },
  {
    name: 'text[]',
    type: 'text[]',
    schema: { type: 'array', items: { type: 'string' } },
    values: fc.array(anyText, { maxLength: 3 }),
    odd: fc.constantFrom(['\0'], ['a', '\ud800']),
    compares: 'contains',
    keyable: false,
    foreign: [`ARRAY['a', 'b']`, `'{}'`, `'{"",NULL_}'`],
    inexact: [`'[0:1]={x,y}'`, `'{a,NULL}'`, `'{{a},{b}}'`],
  },
  {
    name: 'int[]',
    type: 'int[]',
    schema: { type: 'array', items: { type: 'integer' } },
    values: fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), { maxLength: 3 }),
    odd: fc.constantFrom([2 ** 31], [1e15]),
    compares: 'contains',
    keyable: false,
    foreign: [`'{1,2}'`],
    inexact: [`'{1,NULL}'`],
  },
  {
    name: 'timestamptz[]',
    type: 'timestamptz[]',
    schema: { type: 'array', items: { type: 'string', format: 'date-time' } },
    values: fc.constantFrom([], ['2024-01-01T00:00:00.000Z'], ['2024-01-01T00:00:00Z']),
    odd: fc.constantFrom(['2024-01-01T00:00:00+02:00']),
    means: (value) => JSON.stringify((value as string[]).map((text) => Date.parse(text))),
    compares: 'contains',
    keyable: false,
    optional: true,
    foreign: [`ARRAY['2024-06-01 12:00:00.1+02'::timestamptz]`],
  },
  {
    name: 'numeric(9,2)[]',
    type: 'numeric(9,2)[]',
    schema: { type: 'array', items: { type: 'number' } },
    values: fc.array(
      fc.integer({ min: -1000, max: 1000 }).map((cents) => cents / 100),
      { maxLength: 3 },
    ),
    odd: fc.constantFrom([0.001], [1e9]),
    compares: 'contains',
    keyable: false,
    optional: true,
    foreign: [`ARRAY[1.50, 2]`],
  },
  textual('bytea', 'bytea', ['AAEC', ''], { foreign: [`'\\x00ff'`] }),
  textual('inet', 'inet', ['192.168.0.1', '10.0.0.0/8', '::1']),
  textual('cidr', 'cidr', ['10.0.0.0/8', '::/0']),
  textual('macaddr', 'macaddr', ['08:00:2b:01:02:03']),
  textual('int4range', 'int4range', ['[1,5)', 'empty', '(,3)']),
  textual('tstzrange', 'tstzrange', ['empty'], { foreign: [`'[2024-01-01 00:00+00,)'`] }),
  textual('bit(3)', 'bit(3)', ['101']),
  textual('money', 'money', ['$1.00'], { foreign: [`'1.5'`] }),
  textual('xml', 'xml', ['<a/>'], { compares: 'none' }),
  textual('tsvector', 'tsvector', [`a`], { compares: 'none' }),
  textual('point', 'point', ['(1,2)'], { compares: 'none' }),
  textual('oid', 'oid', ['1']),
  textual('name', 'name', ['a', 'ñ'], { keyable: false }),
]
