/** Request and response bodies by media type (HDR-1, HDR-5, VERB-5). */
import { bodyTypes } from '../middleware/body.js'
import type { ServiceFacts } from '../plan/description.js'
import { type Situation, takesBody } from '../plan/endings.js'
import { maxOperations } from '../plan/json-patch.js'
import { hasDeleteBody, legacyTypes, linkForms, maxPageSize } from '../plan/legacy-endings.js'
import type { Mounted } from '../plan/routes.js'
import type { TransferFormat } from '../plan/transfer-format.js'
import { offersFor } from '../representation/encoding.js'
import { mediaType, xmlTypes } from '../wire.js'
import { longestText } from './bounds.js'
import type { Components } from './components.js'
import type { DocumentSchema, Reference } from './document.js'
import { typeName } from './names.js'
import type { RecordSchemas } from './record-schemas.js'
import { translated, valueSchema } from './schemas.js'

type Content = Readonly<
  Record<
    string,
    { readonly schema?: unknown; readonly examples?: unknown; readonly [extension: `x-${string}`]: unknown }
  >
>

/** Builds the `content` of bodies. */
export class Bodies {
  readonly #components: Components
  readonly #records: RecordSchemas
  readonly #contents = new Map<DocumentSchema | Reference, Content>()

  constructor(components: Components, records: RecordSchemas) {
    this.#components = components
    this.#records = records
  }

  /** Returns the body of a request, or `undefined` if the operation takes none. */
  request(
    situation: Situation,
    examples?: Readonly<Record<string, unknown>>,
  ): Readonly<Record<string, unknown>> | undefined {
    if (!takesBody(situation)) return undefined
    const { method, operation, route, facts } = situation
    const examplesPart =
      examples === undefined
        ? {}
        : { examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) }
    if (examples !== undefined) this.#components.hasExamples = true
    const records = this.#records.with(linkForms(situation))
    const former = legacyTypes(situation)
    if (operation.body === 'endpoint') return { required: true, content: this.#ofEndpoint(situation, examplesPart) }
    if (route.resource === undefined) return undefined
    if (operation.body === 'record') {
      const schema = records.of(route.resource, method === 'POST' ? 'create' : 'replace')
      return { required: true, content: inEach([...bodyTypes.whole, ...former], schema, examplesPart) }
    }
    const schema = records.of(route.resource, 'patch')
    const merges = facts.patchTypes.filter((type) => type !== mediaType.jsonPatch)
    const operations = facts.patchTypes.includes(mediaType.jsonPatch)
      ? { [mediaType.jsonPatch]: { schema: this.#jsonPatch(facts) } }
      : {}
    return { required: true, content: { ...inEach([...merges, ...former], schema, examplesPart), ...operations } }
  }

  #ofEndpoint(situation: Situation, examplesPart: object): Content {
    const { method, route } = situation
    const called = route.endpoint?.methods.get(method)
    if (called?.upload !== undefined)
      return Object.fromEntries(called.upload.types.map((type) => [type, { schema: fileSchema(type) }]))
    const schema =
      called?.body === undefined
        ? {}
        : this.#endpointSchema(situationName(method, route.endpoint?.name ?? ''), called.body.schema, 'create')
    return inEach([...bodyTypes.whole, ...legacyTypes(situation)], schema, examplesPart)
  }

  /** Returns the content of a response: its media types with their schemas. */
  answer(situation: Situation, status: number): Content | undefined {
    const { operation, route, facts } = situation
    if (hasDeleteBody(situation, status)) return inEach(builtInTypes, {})
    if (status === 204 || status === 304 || status === 302 || status === 202) return undefined
    if (route.document !== undefined) {
      const { mediaTypes, pages } = route.document
      return Object.fromEntries(
        mediaTypes.map((type) => [type, { schema: pages === undefined ? documentSchema : fileSchema(type) }]),
      )
    }
    if (operation.answers === 'value') return this.#value(situation, status)
    const { resource } = route
    if (resource === undefined || (operation.answers !== 'item' && operation.answers !== 'page')) return undefined
    // A POST with status 200 has created nothing, so it returns no item.
    if (operation.method === 'POST' && status === 200) return undefined
    const isPage = operation.answers === 'page'
    const records = this.#records.with(linkForms(situation))
    const schema = isPage
      ? records.page(resource, maxPageSize(situation, resource.plan.list.page.max))
      : records.of(resource, 'output')
    const customs = [...facts.representations, ...resource.representations]
    const exported = isPage ? resource.exports?.formats : undefined
    if (customs.length === 0 && exported === undefined) return this.#builtIn(schema)
    const content = contentOf(offersFor(isPage ? 'list' : 'item', customs, exported).types, schema)
    return exported === undefined ? content : { ...content, ...this.#exported(resource, exported) }
  }

  /**
   * Describes exports. An export has one record on each line. OpenAPI 3.1 can't describe the lines,
   * so the extension `x-item-schema` contains their schema. OpenAPI 3.2 has `itemSchema` for this
   * purpose.
   */
  #exported(resource: Mounted, formats: readonly TransferFormat[]): Content {
    const record = this.#records.of(resource, 'output')
    return Object.fromEntries(
      formats.map((format) => [
        format.mediaType,
        { schema: fileSchema(format.mediaType), 'x-item-schema': record, ...format.describe(resource) },
      ]),
    )
  }

  /**
   * Returns the content of a response in the built-in media types. Responses with the same schema
   * share the returned object.
   */
  #builtIn(schema: DocumentSchema | Reference): Content {
    const content = this.#contents.get(schema) ?? inEach(builtInTypes, schema)
    this.#contents.set(schema, content)
    return content
  }

  #value({ method, route, facts }: Situation, status: number): Content | undefined {
    const called = route.endpoint?.methods.get(method)
    const stated = called?.text.responses?.[String(status) as '200']
    if (called?.text.responses !== undefined && stated?.schema === undefined && status !== 200) return undefined
    const schema =
      stated?.schema === undefined
        ? {}
        : this.#endpointSchema(situationName(method, route.endpoint?.name ?? ''), stated.schema, 'output')
    return contentOf(offersFor('value', [...facts.representations, ...(called?.representations ?? [])]).types, schema)
  }

  #endpointSchema(name: string, schema: DocumentSchema, purpose: 'create' | 'output'): DocumentSchema {
    const context = {
      components: this.#components,
      root: schema,
      owner: `the endpoint "${name}"`,
      name: typeName(name),
      purpose,
    }
    // Request bodies of endpoints, like those of resources, must not have undeclared members.
    // Responses may have all members that the schema allows.
    return purpose === 'create' ? valueSchema(context, schema) : translated(context, schema, '')
  }

  #jsonPatch({ bodyLimit }: Pick<ServiceFacts, 'bodyLimit'>): Reference {
    return this.#components.define('JsonPatch', 'the library', () => jsonPatchSchema(bodyLimit))
  }
}

const documentSchema: DocumentSchema = {
  type: 'object',
  description: 'An OpenAPI document.',
  additionalProperties: true,
}

const situationName = (method: string, name: string): string => `${method.toLowerCase()}-${name}`

/** The media types of every resource. */
const builtInTypes: readonly string[] = [mediaType.json, ...xmlTypes]

function inEach(types: readonly string[], schema: unknown, examplesPart: object = {}): Content {
  const media = { schema, ...examplesPart }
  const content: Record<string, typeof media> = {}
  for (const type of types) content[type] = media
  return content
}

const jsonAndXml: ReadonlySet<string> = new Set([mediaType.json, ...xmlTypes])

/**
 * Returns the content of a response in these media types. JSON and XML have the schema of the
 * value. The other types have the schema that `fileSchema` returns.
 */
function contentOf(types: readonly string[], schema: unknown): Content {
  return Object.fromEntries(
    types.map((type) => {
      const bare = (type.split(';')[0] ?? type).trim().toLowerCase()
      if (jsonAndXml.has(bare)) return [bare, { schema }]
      return [bare, { schema: fileSchema(bare) }]
    }),
  )
}

/**
 * Returns the schema of a body by its media type alone: a form with a file, any JSON value, a
 * string or bytes. A schema of bytes has no type (OpenAPI 3.1.1, 4.8.14.2).
 */
function fileSchema(type: string): DocumentSchema {
  if (type === 'multipart/form-data')
    return {
      type: 'object',
      properties: { file: { contentMediaType: 'application/octet-stream' } },
      required: ['file'],
    }
  // A body of a custom JSON type may be any value.
  if (/[/+]json$/.test(type)) return {}
  return type.startsWith('text/') || type.endsWith('json')
    ? { type: 'string', maxLength: longestText }
    : { contentMediaType: type }
}

/**
 * Returns the schema of a JSON Patch. `bodyLimit`: the maximum size of a request body in bytes. A
 * string in the body can't have more characters than that.
 */
function jsonPatchSchema(bodyLimit: number): DocumentSchema {
  const pointer = {
    type: 'string',
    description: 'An RFC 6901 pointer into the representation.',
    pattern: '^(?:/(?:[^~/]|~[01])*)*$',
    maxLength: bodyLimit,
  }
  const operation = (names: readonly string[], more: Readonly<Record<string, unknown>>): DocumentSchema => ({
    type: 'object',
    properties: { op: { type: 'string', enum: names }, path: pointer, ...more },
    required: ['op', 'path', ...Object.keys(more)],
  })
  return {
    type: 'array',
    description: 'Operations on the representation. Either all of them are applied, or none (RFC 6902).',
    maxItems: maxOperations,
    items: {
      anyOf: [
        operation(['add', 'replace', 'test'], { value: {} }),
        operation(['move', 'copy'], { from: pointer }),
        operation(['remove'], {}),
      ],
    },
  }
}
