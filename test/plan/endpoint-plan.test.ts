import { describe, expect, it } from 'vitest'
import { endpoint, endpointReply, isReply } from '../../src/plan/endpoint.js'
import { compileEndpoint } from '../../src/plan/endpoint-plan.js'
import { ConfigurationError, HttpProblem, type Violation } from '../../src/problem.js'

const description = 'Looks for a text.'
const handle = () => []
const compile = (method: object, name = 'search') =>
  compileEndpoint(endpoint(name, { description, methods: { POST: { handle, ...method } } })).methods.get('POST')

const query = {
  properties: {
    q: { type: 'string' },
    limite: { type: 'integer' },
    tipo: { enum: ['a', 'b'] },
    activo: { type: 'boolean' },
    desde: { type: 'string', format: 'local-date-time' },
  },
  required: ['q'],
}

function refused(raw: string): readonly Violation[] {
  try {
    compile({ query })?.parseQuery(raw)
  } catch (error) {
    if (error instanceof HttpProblem && error.code === 'invalid-query') return error.errors
    throw error
  }
  throw new Error('The query was accepted, but must be refused.')
}

describe('the query parameters of an endpoint', () => {
  it('QUERY-1: are typed by their schemas, and absent parameters stay absent', () => {
    expect(compile({ query })?.parseQuery('q=a+b&limite=5&tipo=b&activo=true&desde=2024-01-31T08:30:00')).toEqual({
      q: 'a b',
      limite: 5,
      tipo: 'b',
      activo: true,
      desde: '2024-01-31T08:30:00.0000000',
    })
    expect(compile({ query })?.parseQuery('q=')).toEqual({ q: '' })
    expect(compile({})?.parseQuery('')).toEqual({})
  })

  it('a parameter that is absent gets its default, and a default that violates its schema is refused', () => {
    const limit = (schema: object) => compile({ query: { properties: { limite: { type: 'integer', ...schema } } } })
    const made = limit({ default: 20, maximum: 50 })
    expect([{}, { limite: 5 }].map((sent) => made?.withDefaults(sent))).toEqual([{ limite: 20 }, { limite: 5 }])
    const none = {}
    expect(limit({})?.withDefaults(none)).toBe(none)
    for (const value of [60, '20', null, [20]])
      expect(() => limit({ default: value, maximum: 50 })).toThrow(/default of the parameter "limite".*does not allow/)
  })

  it.each([
    ['requird', ['q'], 'Did you mean "required"?'],
    ['dependentRequired', { q: ['limite'] }, 'It has: properties, required.'],
    ['anyOf', [], 'It has: properties, required.'],
    ['minProperties', 1, 'in the handler'],
    ['additionalProperties', true, 'has no effect'],
  ])('the keyword "%s" in "query" is refused, because it would have no effect', (keyword, value, message) => {
    expect(() => compile({ query: { properties: query.properties, [keyword]: value } })).toThrow(message)
    expect(() =>
      compile({ query: { ...query, type: 'object', additionalProperties: false, 'x-note': 1 } }),
    ).not.toThrow()
  })

  it.each([true, false])('a body with the schema %s is refused', (body) => {
    expect(() => compile({ body })).toThrow(/"methods.POST.body".*Give an object/)
    expect(() => compile({ body: {} })).not.toThrow()
  })

  it('QUERY-8: all errors are reported at once', () => {
    expect(refused('limite=x&tipo=c&activo=1&qq=1').map(({ parameter, code }) => `${parameter} ${code}`)).toEqual([
      'qq unknown',
      'q required',
      'limite type',
      'tipo type',
      'activo type',
    ])
    expect(refused('q=1&tipo=c')[0]).toMatchObject({ detail: '"tipo" must be one of a, b.', allowed: ['a', 'b'] })
    expect(refused('q=1&q=2')[0]?.code).toBe('repeated')
  })

  it('QUERY-8: bounds, lengths and patterns of a parameter are checked', () => {
    const bounded = compile({
      query: {
        properties: {
          limite: { type: 'integer', minimum: 1, maximum: 5 },
          codigo: { type: 'string', pattern: '^[A-Z]+$', maxLength: 3 },
        },
      },
    })
    expect(bounded?.parseQuery('limite=5&codigo=ABC')).toEqual({ limite: 5, codigo: 'ABC' })
    try {
      bounded?.parseQuery('limite=0&codigo=abcd')
      expect.unreachable()
    } catch (error) {
      const violations = (error as HttpProblem).errors.map(({ parameter, code, detail }) => [parameter, code, detail])
      expect(violations).toEqual([
        ['limite', 'minimum', '"limite" must be at least 1.'],
        ['codigo', 'maxLength', '"codigo" must have at most 3 characters.'],
        ['codigo', 'pattern', '"codigo" must match the pattern "^[A-Z]+$".'],
      ])
    }
  })

  it('QUERY-8: an endpoint without parameters refuses every parameter', () => {
    expect(() => compile({})?.parseQuery('q=1')).toThrow('This request takes no parameters.')
  })

  it('QUERY-8: an undeclared name in "required" is reported with the closest parameter', () => {
    const query = { properties: { limite: { type: 'integer' } }, required: ['limit'] }
    expect(() => compile({ query })).toThrow('does not declare this parameter. Did you mean "limite"?')
  })

  it.each([
    ['a parameter of type object', { properties: { q: { type: 'object' } } }, 'unsuitable-member'],
    [
      'a parameter of type array',
      { properties: { q: { type: 'array', items: { type: 'string' } } } },
      'unsuitable-member',
    ],
    ['a required name without a schema', { properties: {}, required: ['q'] }, 'unknown-member'],
    ['an unresolved reference', { properties: { q: { $ref: '#/$defs/q' } } }, 'invalid-schema'],
  ])('%s in "query" is a configuration error', (_, given, code) => {
    expect(() => compile({ query: given })).toThrow(`${code}]`)
  })
})

describe('the request bodies of an endpoint', () => {
  it('REP-8: get null for absent nullable members, and are validated', () => {
    const body = {
      type: 'object',
      required: ['n'],
      properties: { n: { type: 'integer' }, a: { type: ['string', 'null'] } },
    }
    const made = compile({ body })?.body
    expect(made?.read({ n: 1 })).toEqual({ n: 1, a: null })
    const pointers = () => {
      try {
        return made?.read({ m: 1 })
      } catch (error) {
        return error instanceof HttpProblem && error.errors.map(({ pointer }) => pointer)
      }
    }
    expect(pointers()).toEqual(['/n', '/m'])
    expect(compile({})?.body).toBeUndefined()
  })

  it('REP-8: a body schema cannot require a member that it does not declare', () => {
    const body = { type: 'object', required: ['nombr'], properties: { nombre: { type: 'string' } } }
    expect(() => compile({ body })).toThrow(
      'The body of the endpoint "POST search" has "nombr" in "required", but does not declare this member. ' +
        'Did you mean "nombre"? [PATH-10 unknown-member]',
    )
  })

  it('ERR-2: an invalid schema is a configuration error that names the endpoint', () => {
    expect(() => compile({ body: { type: 'objeto' } })).toThrow('POST search')
  })
})

describe('endpoint()', () => {
  const make = endpoint as (name: unknown, options: unknown) => unknown
  const methods = { GET: { handle } }

  it.each(['search', 'buscar', 'login', 'informe'])(
    'PATH-8: an endpoint with a description can have a verb or a noun as its name, such as %s',
    (name) => {
      expect(endpoint(name, { description, methods })).toMatchObject({ kind: 'endpoint', name })
    },
  )

  it.each<[string, unknown, unknown, string]>([
    ['a blank description', 'search', { description: ' ', methods }, 'undocumented-endpoint'],
    ['no description', 'search', { methods }, 'undocumented-endpoint'],
    ['no options', 'search', undefined, 'invalid-option'],
    ['a name of two segments', 'search/all', { description, methods }, 'name-malformed'],
    ['a name with a format', 'search.json', { description, methods }, 'name-has-format'],
    ['a name that is a number', 5, { description, methods }, 'name-malformed'],
    ['an area whose name is a verb', 'search', { description, methods, area: 'crear' }, 'name-is-verb'],
    ['no methods', 'search', { description, methods: {} }, 'invalid-option'],
    ['a method in lower case', 'search', { description, methods: { get: { handle } } }, 'invalid-option'],
    ['no handler', 'search', { description, methods: { GET: {} } }, 'invalid-option'],
    ['a method that is null', 'search', { description, methods: { GET: null } }, 'invalid-option'],
    ['a misspelt option', 'search', { description, methods, areas: 'ui' }, 'invalid-option'],
    [
      'a misspelt option of a method',
      'search',
      { description, methods: { GET: { handle, bodyLimt: 1 } } },
      'invalid-option',
    ],
    [
      'a GET with a body schema',
      'search',
      { description, methods: { GET: { handle, body: { type: 'object' } } } },
      'invalid-option',
    ],
    [
      'a body limit that is a string',
      'search',
      { description, methods: { POST: { handle, bodyLimit: '10mb' } } },
      'invalid-option',
    ],
    ['a body limit of zero bytes', 'search', { description, methods, bodyLimit: 0 }, 'invalid-option'],
    ['a timeout that is not an integer', 'search', { description, methods, timeout: 1.5 }, 'invalid-option'],
    [
      'an infinite timeout',
      'search',
      { description, methods: { GET: { handle, timeout: Number.POSITIVE_INFINITY } } },
      'invalid-option',
    ],
  ])('%s is a configuration error', (_, name, options, code) => {
    expect(() => make(name, options)).toThrow(ConfigurationError)
    expect(() => make(name, options)).toThrow(`${code}]`)
  })

  it('ERR-3: the message of a configuration error contains the option, its fault and the fix', () => {
    expect(() => make('search', { description, methods: { POST: { handle, bodyLimit: '10mb' } } })).toThrow(
      `The option "methods.POST.bodyLimit" of endpoint("search") is '10mb'. Give a whole number of bytes from 1.`,
    )
    expect(() => make('search', { description, methods: { GET: { handle, body: {} } } })).toThrow(
      'Declare parameters in "query", or use POST.',
    )
  })

  it('HDR-5: limits of a method override limits of its endpoint, and a timeout is at most 2^31 - 1 ms', () => {
    const { methods } = compileEndpoint(
      endpoint('search', {
        description,
        bodyLimit: 10,
        timeout: 2 ** 40,
        methods: { GET: { handle }, POST: { handle, bodyLimit: 20, timeout: 30 } },
      }),
    )
    const limits = [...methods].map(([method, { bodyLimit, timeout }]) => [method, bodyLimit, timeout])
    expect(limits).toEqual([
      ['GET', 10, 2 ** 31 - 1],
      ['POST', 20, 30],
      ['HEAD', 10, 2 ** 31 - 1],
    ])
  })

  it('isReply() recognizes the result of endpointReply(), but not an object that has the same members', () => {
    const given = { status: 202 as const, body: 1 }
    expect([isReply(endpointReply(given)), isReply(given), isReply(null), isReply(5)]).toEqual([
      true,
      false,
      false,
      false,
    ])
    expect(endpointReply(given)).toEqual(given)
  })
})
