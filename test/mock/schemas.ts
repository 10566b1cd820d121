/** Generates random schemas that can be satisfied, with the keywords that real services use. */
import fc from 'fast-check'
import type { JsonSchema } from '../../src/definition/schema-types.js'

const formats = [
  ...[
    'date',
    'time',
    'date-time',
    'iso-time',
    'iso-date-time',
    'duration',
    'uri',
    'uri-reference',
    'uri-template',
    'url',
    'email',
  ],
  ...[
    'hostname',
    'ipv4',
    'ipv6',
    'regex',
    'uuid',
    'json-pointer',
    'json-pointer-uri-fragment',
    'relative-json-pointer',
    'byte',
  ],
  ...['password', 'binary', 'local-date-time', 'local-time', 'decimal', 'int64'],
]

export const patterns = [
  ...[
    '^[A-Z]{2}-\\d{4}$',
    '^(?<year>\\d{4})-(?:a|b)+$',
    '^\\p{Lu}\\p{L}*$',
    '^(?=.*\\d)[a-z\\d]{8}$',
    '^(?!00)\\d{2}$',
    '(?<=a)b',
  ],
  ...[
    '^[^\\s@]+@[^\\s@]+$',
    '^(a|b)\\1$',
    '^[\\u{1F600}-\\u{1F64F}]$',
    '[\\w-]+\\.[a-z]{2,}$',
    '^.{3}$',
    '^\\S+$',
    '^[\\p{L} ]{3,5}$',
  ],
  ...[
    '^(?:[1-9]\\d*|0)$',
    '^\\/(?:[^~/]|~[01])*$',
    '^a{2,5}b?$',
    '^(?:x|y|zz)[\\]\\-a]$',
    '^[ñÑ]{2}\\p{Script=Greek}$',
    '\\bword\\b',
    '',
  ],
]

const text: fc.Arbitrary<JsonSchema> = fc.oneof(
  fc.record({ type: fc.constant('string') }),
  fc
    .tuple(fc.nat(30), fc.nat(30))
    .map(([least, more]) => ({ type: 'string', minLength: least, maxLength: least + more })),
  fc.constantFrom(...formats).map((format) => ({ type: 'string', format })),
  fc.constantFrom(...patterns).map((pattern) => ({ type: 'string', pattern })),
  fc.constantFrom('a', 'b', 'ñ').map((value) => ({ const: value })),
)

const number: fc.Arbitrary<JsonSchema> = fc
  .record({
    type: fc.constantFrom('integer', 'number'),
    least: fc.option(fc.integer({ min: -5000, max: 5_000_000 }), { nil: undefined }),
    more: fc.option(fc.integer({ min: 60, max: 10_000 }), { nil: undefined }),
    exclusive: fc.boolean(),
    multipleOf: fc.option(fc.constantFrom(1, 5, 7, 0.5, 0.25), { nil: undefined }),
  })
  .map(({ type, least, more, exclusive, multipleOf }) => ({
    type,
    ...(least === undefined ? {} : { [exclusive ? 'exclusiveMinimum' : 'minimum']: least }),
    ...(more === undefined ? {} : { [exclusive ? 'exclusiveMaximum' : 'maximum']: (least ?? 0) + more }),
    ...(multipleOf === undefined || (type === 'integer' && multipleOf < 1) ? {} : { multipleOf }),
  }))

const listed: fc.Arbitrary<JsonSchema> = fc.oneof(
  fc
    .uniqueArray(fc.constantFrom('red', 'green', 'blue', 7, null), { minLength: 1 })
    .map((values) => ({ enum: values })),
  fc.boolean().map((value) => ({ const: value })),
  fc.constant({ type: 'boolean' }),
)

const names = ['name', 'email', 'ñame', 'with space', 'a/b', 'a~b', 'a.b', 'constructor', 'total', 'kind', 'createdAt']

const { schema } = fc.letrec<{ schema: JsonSchema; object: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    text,
    number,
    listed,
    nullable(text),
    nullable(tie('object')),
    list(tie('schema')),
    tie('object'),
    union(tie('schema')),
    both(number),
  ),
  object: fc
    .record({
      members: fc.uniqueArray(fc.tuple(fc.constantFrom(...names), tie('schema')), {
        selector: ([name]) => name,
        maxLength: 6,
      }),
      required: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
      together: fc.boolean(),
    })
    .map(({ members, required, together }) => ({
      type: 'object',
      properties: Object.fromEntries(members),
      required: members.map(([name]) => name).filter((_, i) => required[i]),
      ...(together && members.length > 1
        ? { dependentRequired: { [members[0]?.[0] ?? '']: [members[1]?.[0] ?? ''] } }
        : {}),
    })),
}))

function nullable(inner: fc.Arbitrary<JsonSchema>): fc.Arbitrary<JsonSchema> {
  return inner.map((one) =>
    typeof one.type === 'string' ? { ...one, type: [one.type, 'null'] } : { anyOf: [one, { type: 'null' }] },
  )
}

function list(inner: fc.Arbitrary<JsonSchema>): fc.Arbitrary<JsonSchema> {
  return fc.oneof(
    fc
      .tuple(inner, fc.nat(3), fc.nat(4))
      .map(([items, least, more]) => ({ type: 'array', items, minItems: least, maxItems: least + more })),
    fc.nat(5).map((least) => ({ type: 'array', items: { type: 'integer' }, uniqueItems: true, minItems: least })),
    inner.map((first) => ({ type: 'array', prefixItems: [first, { type: 'boolean' }], items: false, minItems: 2 })),
    fc.constant({ type: 'array', items: { type: 'integer' }, contains: { const: 5 }, minItems: 2 }),
  )
}

/** A union whose branches can exclude each other, or an object with `if`, `then` and `else`. */
function union(inner: fc.Arbitrary<JsonSchema>): fc.Arbitrary<JsonSchema> {
  const branch = (kind: string, value: JsonSchema) => ({
    type: 'object',
    required: ['kind', 'value'],
    properties: { kind: { const: kind }, value },
  })
  return fc.oneof(
    fc.tuple(inner, inner).map(([one, other]) => ({ oneOf: [branch('one', one), branch('other', other)] })),
    fc.tuple(inner, inner).map((branches) => ({ anyOf: branches })),
    inner.map((value) => ({
      type: 'object',
      required: ['kind'],
      properties: { kind: { enum: ['big', 'small'] }, value },
      if: { properties: { kind: { const: 'big' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['value'] },
      else: { not: { required: ['value'] } },
    })),
  )
}

function both(inner: fc.Arbitrary<JsonSchema>): fc.Arbitrary<JsonSchema> {
  return inner.map((one) => ({ allOf: [one, one.type === 'integer' ? { type: 'number' } : {}] }))
}

/** The schema of a record with a key. */
export const recordSchema: fc.Arbitrary<JsonSchema> = fc
  .tuple(
    fc.array(schema, { minLength: 1, maxLength: 5 }),
    fc.constantFrom({ type: 'integer' }, { type: 'string', format: 'uuid' }, { type: 'string' }),
    fc.boolean(),
  )
  .map(([members, key, required]) => ({
    type: 'object',
    required: ['id', ...(required ? members.map((_, i) => `m${i}`) : [])],
    properties: { id: key, ...Object.fromEntries(members.map((member, i) => [`m${i}`, member])) },
  }))
