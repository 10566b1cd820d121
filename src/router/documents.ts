/**
 * The documents that a service serves of itself: built at their first request, or by `ready()`, and
 * kept as bytes. What builds them is loaded then: nobody pays for it who does not use it.
 */
import type { AccessRequest } from '../auth/permission.js'
import type { Cache, Caches } from '../cache.js'
import { checkOptions, invalidOption } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import type { ServiceDescription } from '../plan/description.js'
import { type OpenApiOptions, openApiKinds } from '../plan/document-options.js'
import type { OperationDescription } from '../plan/operation.js'
import type { Route } from '../plan/routes.js'
import { isYaml } from '../plan/served-document.js'
import { bodyTag } from '../representation/tags.js'
import type { Parsed } from './stages.js'

/** How a service describes itself at `/{version}/openapi`. */
export interface DescribeOptions extends OpenApiOptions {
  /** Whether anybody may read the document. Default false: it stands behind the version's authentication. */
  readonly public?: boolean
  /** Whether a caller sees those operations alone that the permission lets it use. Default false. */
  readonly reduced?: boolean
}

export const describeKinds: Kinds<DescribeOptions> = { ...openApiKinds, public: 'boolean', reduced: 'boolean' }

/** A document as it is sent. */
interface Written {
  readonly bytes: Uint8Array
  /** Its strong entity tag. */
  readonly tag: string
}

/** The documents of one service. */
export class Documents {
  /** Whether they are served without authentication. */
  readonly public: boolean
  readonly #description: ServiceDescription
  readonly #options: OpenApiOptions
  readonly #reduced: boolean
  readonly #kept: Cache<string, Promise<Written>>

  /** The options are of their kinds. Throws `ConfigurationError` where they contradict each other. */
  constructor(description: ServiceDescription, options: DescribeOptions, caches: Caches) {
    const { public: open = false, reduced = false, ...rest } = checkOptions<DescribeOptions>('describe of api()', options, describeKinds)
    if (open && reduced)
      throw invalidOption('describe of api() is public and reduced to what the caller may do: nobody says who that is. Leave one out.')
    this.public = open
    this.#description = description
    this.#options = rest
    this.#reduced = reduced
    this.#kept = caches.make('documents')
  }

  /** Builds the document of each version once. Rejects with `ConfigurationError` where a version can't be described. */
  async ready(): Promise<void> {
    const { describe } = await import('../openapi/openapi.js')
    for (const [version, entry] of this.#description.versions) {
      if (entry !== 'retired') describe(this.#description, version, this.#options)
    }
  }

  /** The document that a request asks for. */
  async of(exchange: Parsed): Promise<Written> {
    const { version, root, representation, permission } = exchange
    const allowed = this.#reduced && permission !== undefined ? await allowedTo(exchange) : undefined
    const yaml = isYaml(representation.mediaType)
    const key = JSON.stringify([version.name, yaml, root, allowed === undefined ? undefined : [...allowed]])
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept
    const writing = this.#write(version.name, root, yaml, allowed)
    this.#kept.set(key, writing)
    return writing
  }

  async #write(version: string, root: string, yaml: boolean, allowed: ReadonlySet<string> | undefined): Promise<Written> {
    const { describe } = await import('../openapi/openapi.js')
    const wanted =
      allowed === undefined
        ? undefined
        : (route: Route, operation: OperationDescription) =>
            accessRequests(route, operation).every((request) => allowed.has(textOf(request)))
    const document = describe(this.#description, version, this.#options, { root, wanted })
    const text = yaml ? (await import('yaml')).stringify(document, { aliasDuplicateObjects: false }) : JSON.stringify(document)
    const bytes = Buffer.from(text)
    return { bytes, tag: bodyTag(bytes) }
  }
}

/** What the permission is asked about an operation, whatever the item. */
function accessRequests({ resource, endpoint }: Route, { actions }: OperationDescription): readonly AccessRequest[] {
  const name = resource?.plan.collection ?? endpoint?.name
  return name === undefined ? [] : actions.map((action) => ({ action, resource: name }))
}

/** Equal requests have equal texts: `list pieces`. */
const textOf = ({ action, resource }: AccessRequest): string => `${action} ${resource}`

/** The texts of the requests that the permission allows. Each is decided once, one after another. */
async function allowedTo(exchange: Parsed): Promise<ReadonlySet<string>> {
  const requests = exchange.version.table.routes.flatMap((route) =>
    [...route.operations.values()].flatMap((operation) => accessRequests(route, operation)),
  )
  const allowed = new Set<string>()
  for (const [text, { action, resource }] of new Map(requests.map((request) => [textOf(request), request]))) {
    if ((await exchange.decide(action, resource)) === 'allow') allowed.add(text)
  }
  return allowed
}
