import fc from 'fast-check'
import { type JsonObject, put } from '../../src/definition/json.js'
import type { JsonSchema } from '../../src/definition/schema-types.js'
import { Shape } from '../../src/definition/shape.js'
import { type Form, formOf, openForm } from '../../src/plan/form.js'

/** Strings that writers and readers often lose or change. */
const wildText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  // Any UTF-16 code units, including lone surrogates.
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 5 }).map((units) => String.fromCharCode(...units)),
  fc
    .array(
      fc.constantFrom(
        ']]>',
        '\r\n',
        '\r',
        '\n',
        '\t',
        ' ',
        '  ',
        '&',
        '<',
        '>',
        '"',
        "'",
        '&amp;',
        '&#13;',
        '<!--',
        '-->',
        '<![CDATA[',
        '<?x?>',
        'true',
        '0',
        '-0',
        '1e5',
        'null',
        '\0',
        '\u0001',
        '\u007f',
        '\u0085',
        '\u00a0',
        '\u2028',
        '\ufeff',
        '\ufffe',
        '\uffff',
        '\ud800',
        '\udfff',
        '😀',
        '\u{10ffff}',
        'ñ',
        '"\\u0041"',
        '{}',
        '[]',
      ),
      { maxLength: 4 },
    )
    .map((parts) => parts.join('')),
)

const wildName = fc
  .oneof(
    { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'numero', 'sucursalDeDistribución') },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        '',
        'member',
        'item',
        'name',
        'type',
        'xmlThing',
        'XML',
        'xsi:nil',
        'a:b',
        ':',
        'constructor',
        'toString',
        'hasOwnProperty',
        '0',
        '7',
        '-1',
        'a b',
        ' a',
        '1a',
        '\u00b7a',
        'a\u00b7',
        '😀',
        'a😀',
        'i',
      ),
    },
    { weight: 1, arbitrary: wildText },
  )
  .filter((name) => name !== '__proto__')

const wildNumber = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(
    0,
    1e21,
    1e-7,
    5e-324,
    Number.MAX_VALUE,
    Number.MAX_SAFE_INTEGER,
    2 ** 60,
    -(2 ** 60),
    0.1,
    123456789.125,
  ),
)

/** Creates an object from the entries. If a name occurs several times, uses the first entry. */
function objectOf(entries: readonly (readonly [string, unknown])[]): JsonObject {
  const object: JsonObject = {}
  for (const [name, value] of entries) if (!Object.hasOwn(object, name)) put(object, name, value)
  return object
}

const own = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(fc.constant(null), fc.boolean(), wildNumber, wildText),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(wildName, tie('value')), { maxLength: 5 }).map(objectOf),
  ),
})).value

const hasProto = (value: unknown): boolean => JSON.stringify(value)?.includes('"__proto__"') ?? true

export const anyJson = fc.oneof(
  { weight: 3, arbitrary: own },
  { weight: 1, arbitrary: fc.jsonValue().filter((value) => !hasProto(value)) },
)

/** A random schema. A value that is used with the schema may violate it. */
const anySchema = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<JsonSchema>(
      {},
      { type: 'string' },
      { type: 'number' },
      { type: 'integer' },
      { type: 'boolean' },
      { type: 'null' },
      { type: ['string', 'null'] },
      { type: ['string', 'number'] },
      { type: 'array' },
      { type: 'object' },
      { type: 'object', additionalProperties: true },
      { enum: ['a', 'b'] },
      { enum: ['a', 1] },
    ),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({
      type: fc.constant('array'),
      prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
      items: tie('schema'),
    }),
    fc.record({
      type: fc.constantFrom<unknown>('object', ['object', 'null'], ['object', 'string']),
      properties: fc.array(fc.tuple(wildName, tie('schema')), { maxLength: 5 }).map(objectOf),
      additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
    }),
  ),
})).schema

/** A schema with the types of the value. Null gets the types string and null. */
function schemaFor(value: unknown): JsonSchema {
  if (value === null) return { type: ['string', 'null'] }
  if (Array.isArray(value)) return { type: 'array', prefixItems: value.map(schemaFor) }
  if (typeof value !== 'object') return { type: typeof value }
  return {
    type: 'object',
    properties: objectOf(Object.entries(value).map(([name, member]) => [name, schemaFor(member)])),
  }
}

const formFrom = (schema: JsonSchema): Form => formOf(Shape.of(schema))

/**
 * A value and a `Form`, which gives the types of members. The `Form` is derived from the value,
 * from another value or from a random schema, or it is `openForm`, which gives no types.
 */
export const formedValue: fc.Arbitrary<{ value: unknown; form: Form }> = fc.oneof(
  anyJson.map((value) => ({ value, form: openForm })),
  anyJson.map((value) => ({ value, form: formFrom(schemaFor(value)) })),
  fc.tuple(anyJson, anyJson).map(([value, other]) => ({ value, form: formFrom(schemaFor(other)) })),
  fc.tuple(anyJson, anySchema).map(([value, schema]) => ({ value, form: formFrom(schema) })),
)

/** The value after a JSON round trip. */
export const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
