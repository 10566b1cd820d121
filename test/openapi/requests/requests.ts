/**
 * Requests generated from a document: requests that the document allows, and requests that violate
 * it in one place.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { isList, isObject } from '../../../src/definition/json.js'
import type { OpenApiDocument } from '../../../src/openapi/index.js'
import { addFormats } from '../../../src/plan/formats.js'
import { brokenOf } from './breaking.js'
import { Fitting, type Schema } from './fitting.js'

export interface Request {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** The violation. It is absent if the document allows the request. */
  readonly broken?: string
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
}

/** An operation of a document, with its references resolved. */
export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  /** The schemas of the operation's JSON bodies, by media type. */
  readonly bodies: ReadonlyMap<string, unknown>
}

/** A request before it is serialized. */
interface Draft {
  readonly path: Readonly<Record<string, string>>
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly headers: Readonly<Record<string, string>>
  readonly body?: { readonly type: string; readonly value: unknown }
}

/**
 * Fixed values for some header fields. The values of all other fields are generated from their
 * schemas.
 */
const usualFields: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'If-Match': fc.oneof(
    { weight: 5, arbitrary: fc.constant('*') },
    { weight: 1, arbitrary: fc.constantFrom('"x"', 'x', '') },
  ),
  'If-None-Match': fc.constantFrom('"x"', 'W/"x"', 'x', '*', ''),
  Prefer: fc.constantFrom('return=minimal', 'return=representation', 'wait=1', 'x y', ''),
}

/** Encodes a string as a path segment. */
const segment = (text: string): string => encodeURIComponent(text)

/**
 * Generates requests for one document. `keys` has the existing keys, by the names of path
 * parameters.
 */
export class Requests {
  readonly operations: readonly Operation[]
  readonly #fitting: Fitting
  readonly #keys: Readonly<Record<string, readonly string[]>>
  readonly #ajv = new Ajv2020({ strict: false, logger: false, validateSchema: false, meta: false, ownProperties: true })
  readonly #validators = new Map<unknown, ValidateFunction>()

  constructor(document: OpenApiDocument, keys: Readonly<Record<string, readonly string[]>>) {
    this.#fitting = new Fitting(document)
    this.#keys = keys
    addFormats(this.#ajv)
    this.#ajv.addSchema({ ...document, $id: 'https://service.example/document' })
    this.operations = operationsOf(document, this.#fitting)
  }

  fits(schema: unknown, value: unknown): boolean {
    const known = this.#validators.get(schema)
    const validate =
      known ??
      this.#ajv.compile(
        JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"https://service.example/document#/')),
      )
    this.#validators.set(schema, validate)
    return validate(value)
  }

  /** Generates requests that the document allows. */
  allowed(operation: Operation): fc.Arbitrary<Request> {
    return this.#drafts(operation).map((draft) => written(operation, draft))
  }

  /** Generates requests that violate the document in one place. */
  broken(operation: Operation): fc.Arbitrary<Request> {
    return this.#drafts(operation).chain((draft) => {
      const all = [
        ...this.#brokenPaths(operation, draft),
        ...this.#brokenQueries(operation, draft),
        ...this.#brokenFields(operation, draft),
        ...this.#brokenBodies(operation, draft),
      ]
      if (all.length === 0)
        return fc.constant({ ...written(operation, draft), path: '/no/such/path', broken: 'the path' })
      return fc.constantFrom(...all).map(([broken, changed]) => ({ ...written(operation, changed), broken }))
    })
  }

  #drafts({ parameters, bodies }: Operation): fc.Arbitrary<Draft> {
    const within = (place: string) => parameters.filter((one) => one.in === place)
    const path = fc.record(Object.fromEntries(within('path').map((one) => [one.name, this.#key(one)])))
    const query = fc.tuple(...within('query').map((one) => this.#query(one))).map((pairs) => pairs.flat())
    const headers = fc.record(Object.fromEntries(within('header').map((one) => [one.name, this.#field(one)])), {
      requiredKeys: within('header')
        .filter(({ required }) => required === true)
        .map(({ name }) => name),
    })
    const [...types] = bodies
    if (types.length === 0) return fc.record({ path, query, headers })
    const body = fc.oneof(
      ...types.map(([type, schema]) =>
        this.#fitting
          .of(schema)
          .filter((value) => this.fits(schema, value))
          .map((value) => ({ type, value })),
      ),
    )
    return fc.record({ path, query, headers, body })
  }

  #key({ name, schema }: Parameter): fc.Arbitrary<string> {
    const known = this.#keys[name] ?? []
    // Includes the longest key, because the schema of the record must allow every key that the path
    // parameter allows.
    const longest = 'x'.repeat(Number(schema.maxLength ?? 0))
    const fitting = this.#fitting.of(schema).map(String)
    const any = this.#fitsText(schema, longest)
      ? fc.oneof({ weight: 4, arbitrary: fitting }, { weight: 1, arbitrary: fc.constant(longest) })
      : fitting
    return known.length === 0
      ? any
      : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: any })
  }

  #query({ name, required, schema }: Parameter): fc.Arbitrary<readonly (readonly [string, string])[]> {
    const pairs = this.#fitting
      .of(schema)
      .filter((value) => this.fits(schema, value))
      .map((value) => [value].flat().map((one) => [name, String(one)] as const))
    return required === true
      ? pairs
      : fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: pairs })
  }

  #field({ name, schema }: Parameter): fc.Arbitrary<string> {
    return usualFields[name] ?? this.#fitting.of(schema).map(String)
  }

  #brokenPaths({ method, parameters }: Operation, draft: Draft): readonly (readonly [string, Draft])[] {
    // OPTIONS reads no record, so it accepts any key.
    if (method === 'OPTIONS') return []
    return parameters
      .filter((one) => one.in === 'path')
      .flatMap(({ name, schema }) =>
        ['x', '1.5', '9007199254740992', ...tooLong(schema)]
          .filter((text) => !this.#fitsText(schema, text))
          .map(
            (text) =>
              [
                `the path: ${name} is ${text.slice(0, 20)}`,
                { ...draft, path: { ...draft.path, [name]: text } },
              ] as const,
          ),
      )
  }

  #brokenQueries({ method, parameters }: Operation, draft: Draft): readonly (readonly [string, Draft])[] {
    // OPTIONS reads no query, so it accepts any query.
    if (method === 'OPTIONS') return []
    const declared = parameters.filter((one) => one.in === 'query')
    const stray = [
      'noSuchParameter=1',
      { ...draft, query: [...draft.query, ['noSuchParameter', '1'] as const] },
    ] as const
    return [
      stray,
      ...declared.flatMap(({ name, schema, required }) => {
        const rest = draft.query.filter(([given]) => given !== name)
        const flat = this.#fitting.flat(schema)
        const long = tooLong(flat.type === 'array' ? this.#fitting.flat(flat.items) : flat)
        const odd = [...oddTexts, ...long].filter((text) => !this.#fitsText(schema, text))
        return [
          ...odd.map(
            (text) => [`${name}=${text.slice(0, 20)}`, { ...draft, query: [...rest, [name, text] as const] }] as const,
          ),
          ...(required === true ? [[`${name} is missing`, { ...draft, query: rest }] as const] : []),
          ...(flat.type === 'array' ? [] : this.#twice(name, schema, draft)),
        ]
      }),
    ]
  }

  #twice(name: string, schema: Schema, draft: Draft): readonly (readonly [string, Draft])[] {
    const text = oddTexts.find((one) => this.#fitsText(schema, one))
    if (text === undefined) return []
    const pair = [name, text] as const
    return [
      [`${name} is repeated`, { ...draft, query: [...draft.query.filter(([given]) => given !== name), pair, pair] }],
    ]
  }

  #brokenFields({ parameters }: Operation, draft: Draft): readonly (readonly [string, Draft])[] {
    return parameters
      .filter((one) => one.in === 'header')
      .flatMap(({ name, schema, required }) => {
        const { [name]: _, ...rest } = draft.headers
        const odd = ['', 'a,b', '"', 'a b', 'x'.repeat(300), ...tooLong(schema)].filter(
          (text) => !this.fits(schema, text),
        )
        return [
          ...odd.map(
            (text) => [`${name}: ${text.slice(0, 20)}`, { ...draft, headers: { ...rest, [name]: text } }] as const,
          ),
          ...(required === true ? [[`${name} is missing`, { ...draft, headers: rest }] as const] : []),
        ]
      })
  }

  #brokenBodies({ bodies }: Operation, draft: Draft): readonly (readonly [string, Draft])[] {
    const { body, ...bodiless } = draft
    if (body === undefined) return []
    const schema = bodies.get(body.type)
    const changed = brokenOf(this.#fitting, schema, body.value).filter(({ value }) => !this.fits(schema, value))
    return [
      ['the body is missing', bodiless],
      ['the body has the type text/plain', { ...draft, body: { ...body, type: 'text/plain' } }],
      ...changed.map(({ how, value }) => [how, { ...draft, body: { ...body, value } }] as const),
    ]
  }

  /** Whether the string of a parameter matches one of the types of a schema. */
  #fitsText(schema: Schema, text: string): boolean {
    const flat = this.#fitting.flat(schema)
    if (flat.type === 'array') return this.#fitsText(this.#fitting.flat(flat.items), text)
    const types = [flat.type ?? 'string'].flat()
    return types.some((type) => {
      if (type === 'integer' || type === 'number') return text.trim() !== '' && this.fits(schema, Number(text))
      if (type === 'boolean') return text === 'true' || text === 'false'
      return type === 'string' && this.fits(schema, text)
    })
  }
}

/**
 * A list with a string that is one character too long. Empty if the schema has no maximum length.
 */
const tooLong = ({ maxLength }: Schema): readonly string[] =>
  typeof maxLength === 'number' ? ['x'.repeat(maxLength + 1)] : []

const oddTexts = [
  '',
  'x',
  '1',
  '0',
  '-1',
  '1.5',
  '1e3',
  'true',
  'null',
  'id,id',
  '9007199254740993',
  '\u0001',
  '2024-02-30T00:00:00',
  'x y',
]

function operationsOf(document: OpenApiDocument, fitting: Fitting): readonly Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'].flatMap((method) => {
      const operation = item[method]
      if (!isObject(operation)) return []
      const parameters = [item.parameters, operation.parameters].filter(isList).flat()
      const content = fitting.resolved(operation.requestBody).content
      const bodies = Object.entries(isObject(content) ? content : {}).filter(([type]) => /[/+]json$/.test(type))
      return [
        {
          id: String(operation.operationId),
          method: method.toUpperCase(),
          path,
          parameters: parameters.map((one) => fitting.resolved(one) as unknown as Parameter),
          bodies: new Map(bodies.map(([type, media]) => [type, isObject(media) ? media.schema : undefined])),
        },
      ]
    }),
  )
}

function written({ method, path }: Operation, { path: keys, query, headers, body }: Draft): Request {
  const at = path.replace(/\{([^}]+)\}/g, (_, name: string) => segment(keys[name] ?? ''))
  const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')
  const target = search === '' ? at : `${at}?${search}`
  if (body === undefined) return { method, path: target, headers }
  return { method, path: target, headers: { ...headers, 'Content-Type': body.type }, body: JSON.stringify(body.value) }
}
