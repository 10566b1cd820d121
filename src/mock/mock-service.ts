/**
 * Runs the complete API of a service with example records in memory. The mock uses the same router
 * as the service, but with other adapters.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AdapterViewOptions } from '../adapters/view-options.js'
import { isObject, type JsonObject } from '../definition/json.js'
import type { ResourceDefinition } from '../definition/resource.js'
import { linkedRecords, type Made, type Subject } from '../examples/linked-records.js'
import { crossOrigin } from '../middleware/cross-origin.js'
import type { Middleware } from '../middleware/middleware.js'
import { problems } from '../middleware/problems.js'
import { didYouMean, nearMiss } from '../near-miss.js'
import { invalidOption } from '../options/check.js'
import { descriptionOf } from '../plan/description.js'
import { isEndpoint } from '../plan/endpoint.js'
import { type AnyAdapter, type Mount, mount } from '../plan/mount.js'
import { type ApiOptions, apiDescribedAs, type VersionOptions } from '../router/api.js'
import { type ErrorEvent, reportToConsole } from '../router/hooks.js'
import { mockedEndpoint, Undescribed } from './example-answers.js'
import { type MockDelay, type MockFailure, Outcomes, wait } from './faults.js'
import { exampleRoutes } from './hand-written.js'
import { brokenRule } from './rules.js'
import { type GivenVersion, Sources, validatorsOf, versionsOf, viewed } from './sources.js'
import { exampleStore, withMethodsOf } from './store.js'
import { fixedByScope, mockOptions, type Visitors } from './visitors.js'

export interface MockOptions {
  readonly seed: number
  /** The number of records of each resource. */
  readonly records: number
  /** The records that the user of the mock provides, by collection. */
  readonly data: Readonly<Record<string, readonly JsonObject[]>>
  readonly visitors: Visitors
  readonly delay?: MockDelay
  readonly failures?: readonly MockFailure[]
  /**
   * Called with messages about parts of the service that the mock can't imitate, such as rules that
   * fail.
   */
  readonly note: (text: string) => void
}

/** A top-level collection of a version. */
export interface MockedPath {
  /** The path, such as `/v1/orders`. */
  readonly path: string
  readonly records: number
}

export interface MockedService {
  readonly listener: (req: IncomingMessage, res: ServerResponse) => void
  readonly paths: readonly MockedPath[]
}

/**
 * Creates the mock of a service that `api()` or `resourceRouter()` returned. The adapters of the
 * service are not called. Rejects with `ConfigurationError` if the argument is not a service, if
 * the data is invalid, if the scope of a resource does not accept the principal, or if no example
 * of a resource could be generated.
 */
export async function mockService(service: object, options: MockOptions): Promise<MockedService> {
  const description = descriptionOf(service)
  if (description?.options === undefined)
    throw invalidOption('A mock needs the return value of api() or resourceRouter() of this version of the library.')
  const given = description.options as ApiOptions
  const versions = versionsOf(given)
  const sources = new Sources(versions)
  const validateOf = validatorsOf(description)
  checkData(sources, options.data)
  const subjects = sources.definitions.map((definition) =>
    subjectOf(definition, sources, options, validateOf(definition)),
  )
  const made = await linkedRecords(subjects, options.seed)
  const stores = new Map([...made].map(([definition, one]) => [definition, exampleStore(definition, one)]))
  const mocked = new Map(
    versions.map((version) => [version.name, mockedVersion(version, given, { sources, stores, ...options })]),
  )
  const cors = crossOrigin({ origins: '*' })
  const api = apiDescribedAs(
    {
      ...mockOptions(given, options.visitors),
      cors,
      onError: reportFailure,
      versions: Object.fromEntries(
        Object.entries(given.versions).map(([name, entry]) => [name, mocked.get(name) ?? entry]),
      ),
    } as ApiOptions,
    description,
  )
  return {
    listener: listenerOf(api, cors, new Outcomes(options.seed, options.delay, options.failures)),
    paths: pathsOf(versions, sources, made),
  }
}

/**
 * A 501 of the mock says which description or example is missing. It is not a failure of the mock,
 * so it is not logged.
 */
function reportFailure(event: ErrorEvent): void {
  if (!(event.error instanceof Undescribed)) reportToConsole(event)
}

function checkData(sources: Sources, data: MockOptions['data']): void {
  const known = sources.definitions.map(({ collection }) => collection)
  for (const [collection, records] of Object.entries(data)) {
    if (!known.includes(collection)) {
      throw invalidOption(
        `The data has records of "${collection}", which no version serves. ` +
          `${didYouMean(nearMiss(collection, known), known)}`,
      )
    }
    if (!Array.isArray(records) || !records.every(isObject))
      throw invalidOption(`The data of "${collection}" must be a list of records: [{ ... }, { ... }].`)
  }
}

function subjectOf(
  definition: ResourceDefinition,
  sources: Sources,
  options: MockOptions,
  validate: Subject['validate'],
): Subject {
  const { collection } = definition
  const { data, visitors, note, records } = options
  const principal = visitors.principal
  const broken = brokenRule(definition, principal, (error) =>
    note(
      `The rules of "${collection}" failed, so its records were generated without them: ` +
        `${error instanceof Error ? error.message : String(error)}`,
    ),
  )
  return {
    definition,
    validate,
    count: records,
    given: Object.hasOwn(data, collection) ? data[collection] : undefined,
    fixed: fixedByScope(definition, visitors),
    leadsTo: sources.leadsTo(definition),
    ...(broken === undefined ? {} : { broken }),
  }
}

interface Parts extends MockOptions {
  readonly sources: Sources
  readonly stores: ReadonlyMap<ResourceDefinition, AnyAdapter>
}

function mockedVersion({ options, mounts }: GivenVersion, { describe }: ApiOptions, parts: Parts): VersionOptions {
  const { seed, note } = parts
  const fragments = typeof describe === 'object' ? (describe.fragments ?? []) : []
  return {
    ...options,
    resources: options.resources.map((entry) =>
      isEndpoint(entry)
        ? mockedEndpoint(entry, seed, note)
        : mockedMount(mounts.find((one) => one === entry) as Mount, parts),
    ),
    ...(options.routes === undefined
      ? {}
      : { routes: exampleRoutes(fragments, seed, note) as VersionOptions['routes'] & object }),
  }
}

function mockedMount(given: Mount, { sources, stores, seed, note }: Parts): Mount {
  const { definition, views } = sources.originOf(given)
  const store = viewed(stores.get(definition) as AnyAdapter, views as readonly AdapterViewOptions[])
  const { endpoints, representations = [], ...options } = given.options
  return mount(
    given.definition,
    withMethodsOf(store, given.adapter) as never,
    {
      ...options,
      representations,
      ...(endpoints === undefined
        ? {}
        : { endpoints: endpoints.map((one) => mockedEndpoint(one as never, seed, note)) }),
    } as never,
  )
}

/**
 * Returns each top-level collection with its number of records. The command that starts the mock
 * prints this list.
 */
function pathsOf(
  versions: readonly GivenVersion[],
  sources: Sources,
  made: ReadonlyMap<ResourceDefinition, Made>,
): readonly MockedPath[] {
  return versions.flatMap(({ name, mounts }) =>
    mounts
      .filter(({ definition }) => definition.parent === undefined)
      .map((one) => ({
        path: `/${[name, one.options.area, one.definition.collection].filter((part) => part !== undefined).join('/')}`,
        records: made.get(sources.originOf(one).definition)?.records.length ?? 0,
      })),
  )
}

function listenerOf(
  api: Middleware,
  cors: ReturnType<typeof crossOrigin>,
  outcomes: Outcomes,
): MockedService['listener'] {
  const [unanswered, refuse] = problems({ onError: () => {} })
  return (req, res) => {
    const fail = (error: unknown): void => {
      for (const [name, value] of Object.entries(cors.fields(req))) res.setHeader(name, value)
      refuse(error, req, res, () => res.destroy())
    }
    const serve = (): void => api(req, res, (error) => (error === undefined ? unanswered(req, res, fail) : fail(error)))
    // An OPTIONS request is never delayed or made to fail, because it may be a preflight, and
    // browsers hide why a preflight failed.
    if (req.method === 'OPTIONS') return serve()
    const { delay, failure } = outcomes.next()
    if (delay === 0) return failure === undefined ? serve() : fail(failure)
    const gone = new AbortController()
    res.once('close', () => gone.abort())
    void wait(delay, gone.signal).then(() => {
      if (gone.signal.aborted) return
      if (failure === undefined) serve()
      else fail(failure)
    })
  }
}
