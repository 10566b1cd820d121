import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it, vi } from 'vitest'
import type { JsonSchema } from '../../src/definition/schema-types.js'
import { compileValidator } from '../../src/plan/validator.js'
import { ConfigurationError, type Violation } from '../../src/problem.js'

const validator = (schema: JsonSchema, ...optional: string[]) => compileValidator('piezas', schema, new Set(optional))
const check = (schema: JsonSchema, value: unknown): readonly Violation[] => validator(schema)(value)
const violations = (schema: JsonSchema, value: unknown) =>
  check(schema, value).map(({ pointer, code }) => `${pointer} ${code}`)
/** The schema of a record whose only member `a` has the given schema. */
const one = (schema: unknown, $defs: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  $defs,
  properties: { a: schema },
})
const json = (text: string): unknown => JSON.parse(text)

const party = { type: 'object', properties: { nombre: { type: 'string' }, alias: { type: ['string', 'null'] } } }

describe('REP-8: undeclared members', () => {
  const stray = { nombre: 'x', edad: 3 }
  it.each<[string, JsonSchema, unknown, string]>([
    ['at the root', party, stray, '/edad'],
    ['in a member', one(party), { a: stray }, '/a/edad'],
    ['in items', one({ type: 'array', items: party }), { a: [{}, stray] }, '/a/1/edad'],
    [
      'in items that prefixItems describes',
      one({ type: 'array', prefixItems: [party], items: false }),
      { a: [stray] },
      '/a/0/edad',
    ],
    [
      'in members that match a pattern',
      { type: 'object', patternProperties: { '^p': party } },
      { p1: stray },
      '/p1/edad',
    ],
    [
      'in members that match the schema in additionalProperties',
      { type: 'object', additionalProperties: party },
      { x: stray },
      '/x/edad',
    ],
    ['next to patternProperties', { type: 'object', patternProperties: { '^p': {} } }, { p1: 1, edad: 3 }, '/edad'],
    ['in a referenced schema', one({ $ref: '#/$defs/party' }, { party }), { a: stray }, '/a/edad'],
    [
      'in a member of a referenced schema',
      one({ $ref: '#/$defs/x' }, { x: { type: 'object', properties: { b: party } } }),
      { a: { b: stray } },
      '/a/b/edad',
    ],
    [
      'in an object with properties next to $ref',
      one({ $ref: '#/$defs/party', properties: { b: {} } }, { party }),
      { a: { ...stray, b: 1 } },
      '/a/edad',
    ],
    ['next to allOf', { type: 'object', allOf: [party, { properties: { b: {} } }] }, { ...stray, b: 1 }, '/edad'],
    ['in a branch of allOf', { type: 'object', allOf: [{ properties: { b: party } }] }, { b: stray }, '/b/edad'],
    [
      'in a nullable reference',
      one({ anyOf: [{ $ref: '#/$defs/party' }, { type: 'null' }] }, { party }),
      { a: stray },
      '/a/edad',
    ],
    [
      'in a recursive schema',
      { type: 'object', properties: { n: { type: 'integer' }, next: { $ref: '#' } } },
      { next: { next: { edad: 3 } } },
      '/next/next/edad',
    ],
    ['in an object schema without properties', one({ type: 'object' }), { a: stray }, '/a/nombre'],
    ['in a schema with properties but no type', one({ properties: { nombre: {} } }), { a: stray }, '/a/edad'],
  ])('are violations %s', (_, schema, value, pointer) => {
    const [first] = check(schema, value)
    expect(first).toMatchObject({ pointer, code: 'unknown', clause: 'REP-8' })
  })

  it.each<[string, JsonSchema, unknown]>([
    ['an undeclared member next to "additionalProperties: true"', { ...party, additionalProperties: true }, { x: 1 }],
    [
      'a member that matches the schema in additionalProperties',
      { ...party, additionalProperties: { type: 'integer' } },
      { x: 1 },
    ],
    [
      'an undeclared member next to "unevaluatedProperties: true"',
      { allOf: [party], unevaluatedProperties: true },
      { x: 1 },
    ],
    ['a member whose name matches patternProperties', { ...party, patternProperties: { '^x': {} } }, { x: 1 }],
    [
      'a member that a reference to the root declares',
      { type: 'object', properties: { padre: { $ref: '#' }, n: {} } },
      { padre: { padre: { n: 1 } } },
    ],
    [
      'a member that only one branch of allOf declares',
      { allOf: [party, { properties: { b: {} } }], type: 'object' },
      { nombre: 'x', b: 1 },
    ],
    [
      'null for a nullable reference',
      one({ anyOf: [{ $ref: '#/$defs/party' }, { type: 'null' }] }, { party }),
      { a: null },
    ],
    ['any value of a member without a type', one(true), { a: { x: [1] } }],
  ])('%s is allowed', (_, schema, value) => {
    expect(check(schema, value)).toEqual([])
  })

  it('an object that several schemas describe can have the members of each schema', () => {
    const schema = {
      type: 'object',
      properties: { cp: { type: 'object', properties: { codigo: { type: 'integer' } } } },
      allOf: [{ properties: { cp: { properties: { calle: { type: 'string' } } } } }],
    }
    expect(check(schema, { cp: { codigo: 1, calle: 'x' } })).toEqual([])
    expect(violations(schema, { cp: { codigo: 1, cale: 'x' } })).toEqual(['/cp/cale unknown'])
  })

  it('a member that only "then" declares is allowed only if the condition holds', () => {
    const schema = {
      type: 'object',
      properties: {
        tipo: { type: 'string' },
        cp: { type: 'object', properties: { codigo: { type: 'integer' }, calle: { type: 'string' } } },
      },
      if: { required: ['cp'], properties: { cp: { properties: { codigo: { const: 5 } }, required: ['codigo'] } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: {
        required: ['motivo'],
        properties: { motivo: { type: 'string' }, cp: { properties: { calle: { minLength: 1 } } } },
      },
    }
    // The condition declares only "codigo", but also matches an object with "calle".
    expect(check(schema, { cp: { codigo: 5, calle: 'x' }, motivo: 'm' })).toEqual([])
    expect(violations(schema, { cp: { codigo: 5, calle: 'x' } })).toEqual(['/motivo required'])
    expect(violations(schema, { cp: { codigo: 6 }, motivo: 'm' })).toEqual(['/motivo unknown'])
    expect(violations(schema, { cp: { codigo: 5, calle: '' }, motivo: 'm' })).toEqual(['/cp/calle minLength'])
  })

  it('"not" and "contains" match objects with undeclared members too', () => {
    const kind = { type: 'object', required: ['k'], properties: { k: { const: 'x' } } }
    const open = { type: 'object', additionalProperties: true }
    expect(violations(one({ ...open, not: kind }), { a: { k: 'x', more: 1 } })).toEqual(['/a not'])
    expect(check(one({ type: 'array', contains: kind, items: open }), { a: [{ k: 'x', more: 1 }] })).toEqual([])
  })

  it('an object that matches one branch of oneOf must not have members of another branch', () => {
    const schema = {
      type: 'object',
      oneOf: [
        { required: ['kind', 'a'], properties: { kind: { const: 'a' }, a: { type: 'string' } } },
        { required: ['kind', 'b'], properties: { kind: { const: 'b' }, b: { type: 'string' } } },
      ],
    }
    expect(check(schema, { kind: 'a', a: 'x' })).toEqual([])
    expect(violations(schema, { kind: 'a', a: 'x', b: 'y' })).toEqual(['/b unknown'])
  })
})

describe('violations', () => {
  it('ERR-3: are reported all at once, each with its pointer, and with a suggestion if there is one', () => {
    const schema = {
      type: 'object',
      required: ['numero', 'lote'],
      properties: {
        numero: { type: 'integer' },
        lote: { type: 'string' },
        estado: { enum: ['abierta', 'cerrada'] },
        alias: { type: ['string', 'null'] },
        tipo: { const: 'x' },
        fecha: { type: 'string', format: 'local-date-time' },
        etiquetas: { type: 'array', items: { type: 'string' } },
      },
    }
    const value = { numero: 1.5, loet: 'x', estado: 'abirta', alias: 5, tipo: 'y', fecha: '2024', etiquetas: ['a', 5] }
    expect(check(schema, value).toSorted((a, b) => String(a.pointer).localeCompare(String(b.pointer)))).toEqual([
      {
        pointer: '/alias',
        detail: '"alias" must be a string or null.',
        code: 'type',
        params: { types: ['string', 'null'] },
      },
      {
        pointer: '/estado',
        detail: '"estado" must be one of "abierta", "cerrada". Did you mean "abierta"?',
        code: 'enum',
        allowed: ['abierta', 'cerrada'],
        suggestion: 'abierta',
      },
      {
        pointer: '/etiquetas/1',
        detail: '"etiquetas[1]" must be a string.',
        code: 'type',
        params: { types: ['string'] },
      },
      {
        pointer: '/fecha',
        detail:
          '"fecha" must be a local date-time such as 2024-01-31T08:30:00.1234567: up to seven fractional ' +
          'digits, no zone.',
        code: 'format',
        params: { format: 'local-date-time' },
      },
      {
        pointer: '/loet',
        detail: '"loet" is not a member here. Did you mean "lote"?',
        code: 'unknown',
        params: { name: 'loet' },
        clause: 'REP-8',
        allowed: Object.keys(schema.properties),
        suggestion: 'lote',
      },
      { pointer: '/lote', detail: '"lote" is required.', code: 'required', params: { member: 'lote' } },
      { pointer: '/numero', detail: '"numero" must be a whole number.', code: 'type', params: { types: ['integer'] } },
      { pointer: '/tipo', detail: '"tipo" must be "x".', code: 'const', allowed: ['x'] },
    ])
  })

  it('ERR-3: pointers are escaped as RFC 6901 requires', () => {
    const schema = { type: 'object', required: ['a/b'], properties: { 'a/b': {}, 'c~d': { type: 'string' } } }
    expect(violations(schema, { 'c~d': 5, 'x~/y': 1 }).toSorted()).toEqual([
      '/a~1b required',
      '/c~0d type',
      '/x~0~1y unknown',
    ])
  })

  it('ERR-2: a body that is not an object is a violation', () => {
    expect(check(party, [])).toEqual([
      { pointer: '', detail: 'The body must be an object.', code: 'type', params: { types: ['object'] } },
    ])
  })

  it('ERR-3: for an invalid nullable object, only the violations inside the object are reported', () => {
    const schema = one({ anyOf: [{ $ref: '#/$defs/party' }, { type: 'null' }] }, { party })
    expect(violations(schema, { a: { nombre: 5, alias: 'x' } })).toEqual(['/a/nombre type'])
    expect(violations(schema, { a: { nombre: 5, edad: 1 } }).toSorted()).toEqual(['/a/edad unknown', '/a/nombre type'])
    expect(violations(schema, { a: 5 })).toEqual(['/a type'])
    expect(check(schema, { a: 5 })[0]?.detail).toContain('must be an object')
  })

  it('ERR-3: the violation of "propertyNames" contains the invalid name', () => {
    const schema = { type: 'object', additionalProperties: { type: 'integer' }, propertyNames: { pattern: '^[a-z]+$' } }
    const [first, ...others] = check(schema, { A1: 1 })
    expect([first?.pointer, first?.detail, others]).toEqual([
      '/A1',
      'The name "A1" must match the pattern "^[a-z]+$".',
      [],
    ])
  })

  it('ERR-3: stay small, regardless of what the body contains', () => {
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`m${i}`, i]))
    const schema = {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`miembro${i}`, { type: 'string' }])),
    }
    const found = check(schema, many)
    expect(found).toHaveLength(100)
    expect(JSON.stringify(found).length).toBeLessThan(30_000)
    const long = 'x'.repeat(200_000)
    expect(JSON.stringify(check(schema, { [long]: 1 })).length).toBeLessThan(2000)
    const deep = { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } }
    expect(JSON.stringify(check(deep, { [long]: many })).length).toBeLessThan(30_000)
    expect(check(deep, { [long]: { a: 5 } })[0]?.pointer).toBe('')
  })
})

describe('numbers', () => {
  it.each([9007199254740992, -9007199254740992, 1e300, json('9007199254740993')])(
    'REP-8: the integer %d is a violation, because doubles of this size are not exact',
    (a) => {
      expect(violations(one({ type: 'integer' }), { a })).toEqual(['/a exactInteger'])
      expect(violations(one({ type: ['integer', 'null'] }), { a })).toEqual(['/a exactInteger'])
      // The type number means a double, and these values are valid doubles.
      expect(violations(one({ type: ['number', 'null'] }), { a })).toEqual([])
    },
  )

  it('REP-8: 2^53 - 1 and 1.0 are exact integers', () => {
    for (const a of [9007199254740991, -9007199254740991, 1.0, -0])
      expect(check(one({ type: 'integer' }), { a })).toEqual([])
  })

  it('ERR-2: 1e400 is not a number', () => {
    expect(violations(one({ type: 'number' }), { a: json('1e400') })).toEqual(['/a type'])
    expect(violations(one({ type: 'integer' }), { a: json('-1e400') })).toEqual(['/a type'])
  })
})

describe('formats', () => {
  it.each([
    ['date-time', '2024-01-31T08:30:00Z', '2024-01-31 8:30'],
    ['date', '2024-02-29', '2023-02-29'],
    ['email', 'a@b.com', 'a@b'],
    ['uuid', '123e4567-e89b-12d3-a456-426614174000', '123e4567'],
    ['uri', 'https://a.b/c', 'a b'],
    ['local-date-time', '2024-01-31T08:30:00.1234567', '2024-01-31T08:30:00Z'],
    ['local-date-time', '2024-01-31T08:30:00', '2024-02-30T08:30:00'],
  ])('ERR-2: the format %s accepts %s and not %s', (format, good, bad) => {
    const schema = one({ type: 'string', format })
    expect(check(schema, { a: good })).toEqual([])
    expect(violations(schema, { a: bad })).toEqual(['/a format'])
  })
})

describe('names that JavaScript objects inherit', () => {
  const schema = {
    type: 'object',
    required: ['constructor'],
    properties: { constructor: { type: 'string' }, toString: { type: 'integer' } },
  }

  it('REP-8: are members like all others if the schema declares them', () => {
    expect(violations(schema, {})).toEqual(['/constructor required'])
    expect(violations(schema, { constructor: 5, toString: 'x' }).toSorted()).toEqual([
      '/constructor type',
      '/toString type',
    ])
    expect(check(schema, { constructor: 'x', toString: 5 })).toEqual([])
  })

  it('REP-8: are violations if the schema does not declare them', () => {
    const value = json('{"constructor":"x","__proto__":{"a":1},"hasOwnProperty":1,"valueOf":2}')
    expect(violations(schema, value).toSorted()).toEqual([
      '/__proto__ unknown',
      '/hasOwnProperty unknown',
      '/valueOf unknown',
    ])
  })

  it('REP-8: do not count as present if the value only inherits them', () => {
    expect(violations(schema, Object.create({ constructor: 'x' }))).toEqual(['/constructor required'])
  })
})

describe('members that may be absent', () => {
  const inner = {
    type: 'object',
    required: ['id', 'pin', 'nombre'],
    properties: {
      id: { type: 'integer', readOnly: true },
      pin: { type: 'string', writeOnly: true },
      nombre: { type: 'string' },
    },
  }
  const schema = {
    type: 'object',
    required: ['numero', 'a', 'b'],
    $defs: { inner },
    properties: {
      numero: { type: 'integer' },
      a: { $ref: '#/$defs/inner' },
      b: { type: 'array', items: { $ref: '#/$defs/inner' } },
    },
  }

  it('REP-8: members that the store assigns may be absent, and so may read-only members at any depth', () => {
    const excused = compileValidator('piezas', schema, new Set(['numero']), (member) => member.readOnly)
    const found = excused({ a: { nombre: 'x' }, b: [{ pin: 'p', nombre: 'x' }, { pin: 'p' }] })
    expect(found.map(({ pointer }) => pointer)).toEqual(['/a/pin', '/b/1/nombre'])
  })
})

describe('schemas', () => {
  it.each<[string, JsonSchema]>([
    ['an unknown type', one({ type: 'sting' })],
    ['an unknown keyword', one({ type: 'string', minLenght: 3 })],
    ['an unknown format', one({ type: 'string', format: 'fecha' })],
    ['a list as "properties"', { type: 'object', properties: [] }],
    ['a number as "required"', { type: 'object', required: 5 }],
    ['an invalid pattern', one({ type: 'string', pattern: '(' })],
    [
      'a schema of another draft',
      {
        $schema: 'http://json-schema.org/draft-04/schema#',
        type: 'object',
        properties: { a: { minimum: 1, exclusiveMinimum: true } },
      },
    ],
    ['an unresolved reference', one({ $ref: '#/$defs/nada' })],
  ])('ERR-2: %s is a configuration error with the code invalid-schema', (_, schema) => {
    expect(() => validator(schema)).toThrow(ConfigurationError)
    expect(() => validator(schema)).toThrow(/\[ERR-2 invalid-schema\]/)
  })

  it.each<[string, JsonSchema, string]>([
    [
      'a misspelt keyword',
      one({ type: 'string', minlength: 3 }),
      'unknown keyword "minlength". Did you mean "minLength"?',
    ],
    [
      'a keyword that the service invented',
      one({ type: 'string', columna: 'a' }),
      'unknown keyword "columna". Names of your own keywords must begin with "x-".',
    ],
    [
      'nullable of OpenAPI 3.0',
      one({ type: 'string', nullable: true }),
      `unknown keyword "nullable". If the value may be null, add "null" to "type", as in type: ['string', 'null'].`,
    ],
    ['nullable without a type', one({ nullable: true }), 'unknown keyword "nullable". If the value may be null'],
    [
      'nullable in items',
      one({ type: 'array', items: { type: 'object', properties: { b: { type: 'string', nullable: false } } } }),
      'unknown keyword "nullable". If the value may be null',
    ],
    [
      'dependencies of earlier drafts',
      one({ type: 'object', dependencies: { b: ['c'] } }),
      'unknown keyword "dependencies". Use "dependentRequired" or "dependentSchemas" instead.',
    ],
    ...['formatMinimum', 'formatMaximum', 'formatExclusiveMinimum', 'formatExclusiveMaximum'].map(
      (keyword): [string, JsonSchema, string] => [
        `${keyword} of Ajv`,
        one({ type: 'string', format: 'date', [keyword]: '2026-01-01' }),
        `unknown keyword "${keyword}". Compare the value in "rules" of the resource, or in the handler of the endpoint.`,
      ],
    ),
    [
      '$async of Ajv',
      { ...one({ type: 'string' }), $async: true },
      'unknown keyword "$async". Remove it: values are validated synchronously.',
    ],
    [
      'a misspelt format',
      one({ type: 'string', format: 'datetime' }),
      'unknown format "datetime" in "properties.a". Did you mean "date-time"?',
    ],
    [
      'a format that the service invented',
      one({ type: 'string', format: 'matricula' }),
      'unknown format "matricula" in "properties.a". Use "pattern" instead, or one of the known formats.',
    ],
    [
      'an abbreviated type',
      one({ type: 'int' }),
      '"properties.a.type" is "int". Did you mean "integer"? Allowed: array, boolean, integer, null, number, object, ' +
        'string.',
    ],
    [
      'an unknown type in a list',
      one({ type: ['fecha', 'null'] }),
      '"properties.a.type.0" is "fecha". Allowed: array, boolean,',
    ],
    ['a type that is a number', one({ type: 5 }), 'schema/properties/a/type must be'],
  ])('ERR-2: the message about %s says how to fix it', (_, schema, fault) => {
    expect(() => validator(schema)).toThrow(` is not valid: ${fault}`)
  })

  it('a schema may have keywords that validate nothing', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://example.com/piezas',
      title: 'Pieza',
      type: 'object',
      'x-tabla': { 'x-año': 1 },
      properties: {
        a: {
          type: 'string',
          example: 'x',
          'x-columna': 'a',
          xml: { attribute: true },
          deprecated: true,
          $comment: 'x',
        },
      },
    }
    expect(validator(schema)({ a: 'x' })).toEqual([])
    // A second schema with the same $id works as well.
    expect(validator(schema)({ a: 5 })).toHaveLength(1)
  })

  it('a hundred validators are compiled without compiling the meta-schema again', () => {
    validator(one({ type: 'string' }))
    const core = Object.getPrototypeOf(Ajv2020.prototype) as { _compileMetaSchema(): void }
    const compilations = vi.spyOn(core, '_compileMetaSchema')
    try {
      for (let i = 0; i < 100; i += 1) validator(one({ type: 'string', maxLength: i }))
      expect(compilations).not.toHaveBeenCalled()
      new Ajv2020().validateSchema({})
      expect(compilations).toHaveBeenCalledOnce()
    } finally {
      compilations.mockRestore()
    }
  })
})

describe('ERR-2: comparisons and limits in a schema', () => {
  const objects = (count: number) => Array.from({ length: count }, (_, i) => ({ a: { b: i }, c: 'x' }))
  /** Counts how often `check` reads members of the items. */
  const readsOf = (items: readonly object[], check: (items: readonly object[]) => unknown): number => {
    let reads = 0
    const counted = items.map(
      (item) =>
        new Proxy(item, {
          get(target, name) {
            reads += 1
            return Reflect.get(target, name)
          },
        }),
    )
    check(counted)
    return reads
  }

  // Without a limit, the search for all these violations needs more memory than the process has.
  it('if a value has very many violations in branches of oneOf, the search for further violations ends', () => {
    const kinds = ['text', 'list', 'table', 'form', 'image']
    const block = (kind: string) => ({
      type: 'object',
      required: ['kind'],
      properties: {
        kind: { const: kind },
        slots: { type: 'object', additionalProperties: { $ref: '#/$defs/block' } },
      },
    })
    const tree = {
      type: 'object',
      properties: { root: { $ref: '#/$defs/block' } },
      $defs: { block: { oneOf: kinds.map(block) } },
    } as const
    let root: object = { kind: 'none' }
    for (let depth = 0; depth < 40; depth += 1) root = { kind: 'image', slots: { main: root } }
    expect(check(tree as never, { root }).length).toBeGreaterThan(0)
    const variant = (at: number) => ({
      type: 'object',
      required: ['kind', ...Array.from({ length: 10 }, (_, member) => `m${member}`)],
      properties: { kind: { const: `k${at}` } },
    })
    const list = {
      type: 'object',
      properties: { events: { type: 'array', items: { oneOf: Array.from({ length: 30 }, (_, at) => variant(at)) } } },
    }
    expect(check(list as never, { events: Array.from({ length: 4_900 }, () => ({})) }).length).toBeGreaterThan(0)
    expect(check(list as never, { events: [{}, { kind: 'x' }] }).length).toBeGreaterThan(10)
  })

  it('const and enum compare objects and lists by value, regardless of the names of their members', () => {
    const odd = json('{"toString":1,"valueOf":[2],"constructor":{}}')
    for (const constants of [{ const: odd }, { enum: ['x', [odd], odd] }]) {
      const schema = one({ ...constants, additionalProperties: true })
      expect(violations(schema, { a: json('{"constructor":{},"valueOf":[2],"toString":1}') })).toEqual([])
      expect(violations(schema, { a: json('{"constructor":{},"valueOf":[2],"toString":2}') })).toHaveLength(1)
      expect(violations(schema, { a: [odd, odd] })).toHaveLength(1)
    }
    expect(
      violations(one({ enum: [{ toString: 1 }, 'x'], additionalProperties: true }), { a: { toString: 2 } }),
    ).toEqual(['/a enum'])
    expect(violations(one({ const: [1], additionalProperties: true }), { a: { toString: 2, valueOf: 3 } })).toEqual([
      '/a const',
    ])
    expect(violations(one({ enum: [[1], 'x', null, 1, true] }), { a: '1' })).toEqual(['/a enum'])
    for (const a of [[1], 'x', null, 1, true])
      expect(violations(one({ enum: [[1], 'x', null, 1, true] }), { a })).toEqual([])
  })

  it('uniqueItems takes linear time, and finds equal items regardless of member order', () => {
    const unique = one({ type: 'array', uniqueItems: true })
    const check = validator(unique)
    const many = objects(16_000)
    expect(check({ a: many })).toEqual([])
    expect(check({ a: [...many, { c: 'x', a: { b: 3 } }] })).toMatchObject([{ pointer: '/a', code: 'uniqueItems' }])
    const reads = (count: number): number => readsOf(objects(count), (a) => check({ a }))
    expect(reads(100)).toBeGreaterThan(0)
    expect(reads(200)).toBe(2 * reads(100))
    expect(check({ a: [1, { a: 1, b: [2] }, { b: [2], a: 1 }] })).toEqual([
      {
        pointer: '/a',
        detail: '"a" must not have equal items, but [1] and [2] are equal.',
        code: 'uniqueItems',
        params: { first: 1, second: 2 },
      },
    ])
    expect(check({ a: [1, '1', true, 'true', null, 'null', [], {}, [['a', 1]], { a: 1 }, '{"a":1}'] })).toEqual([])
    expect(violations(one({ type: 'array', uniqueItems: false }), { a: [1, 1] })).toEqual([])
  })

  it('items are not checked if maxItems is exceeded, and a pattern is not tested if maxLength is exceeded', () => {
    const items = { type: 'object', properties: { c: { type: 'integer' } } }
    expect(violations(one({ type: 'array', maxItems: 10, uniqueItems: true, items }), { a: objects(6000) })).toEqual([
      '/a maxItems',
    ])
    const text = one({ type: 'string', pattern: '^(a+)+$', maxLength: 20 })
    const long = `${'a'.repeat(30_000)}!`
    // The spy does not run the pattern on the long string, because that would take years.
    const real = RegExp.prototype.test
    const asked = vi.spyOn(RegExp.prototype, 'test').mockImplementation(function (this: RegExp, value) {
      return value !== long && real.call(this, value)
    })
    try {
      expect(violations(text, { a: long })).toEqual(['/a maxLength'])
      expect(asked).not.toHaveBeenCalledWith(long)
      expect(violations(one({ type: 'string', pattern: '^(a+)+$' }), { a: long })).toEqual(['/a pattern'])
      expect(asked).toHaveBeenCalledWith(long)
    } finally {
      asked.mockRestore()
    }
  })

  it('ERR-3: all violations of a small record are reported, but only the first of a large record', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'string' } }, b: { type: 'string' } },
    }
    expect(violations(schema, { a: [1, 2], b: 3 })).toEqual(['/a/0 type', '/a/1 type', '/b type'])
    expect(violations(schema, { a: Array(6000).fill(1), b: 3 })).toEqual(['/a/0 type'])
  })
})
