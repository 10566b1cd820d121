/** `records()`: finds the resource of a definition, and who asks for it. */
import { invalidOption, knownOptions } from '../../definition/known-options.js'
import { didYouMean, nearMiss } from '../../definition/near-miss.js'
import { checkDefinition, type ResourceDefinition } from '../../definition/resource.js'
import type { JobOptions, JobRecords, RecordsOf, RecordsOptions } from '../../plan/records.js'
import type { Mounted } from '../../plan/routes.js'
import { ConfigurationError } from '../../problem.js'
import type { Caller } from '../caller.js'
import type { ServedVersion } from '../exchange.js'
import { isLiving } from '../exchange.js'
import type { Service } from '../service.js'
import { Job } from './job.js'
import { Reach, reachOptions } from './reach.js'
import { OwnRecords } from './records.js'

const ownKinds: Readonly<Record<keyof RecordsOptions<unknown, unknown>, true>> = { within: true, adapter: true, permission: true }

const jobKinds: Readonly<Record<keyof JobOptions<unknown, unknown>, true>> = {
  ...ownKinds,
  principal: true,
  version: true,
  timeout: true,
  signal: true,
  requestId: true,
}

/** The records of the resources of a version, on behalf of a request. */
export function recordsFor(caller: Caller): RecordsOf {
  const open = (definition: ResourceDefinition, given: unknown) => {
    const mounted = mountedIn(caller.version, definition)
    const options = reachOptions(`records("${definition.collection}")`, given, ownKinds)
    return new OwnRecords(() => caller, new Reach(mounted, options))
  }
  return open as unknown as RecordsOf
}

/** The same for jobs of a service. */
export function jobRecords(service: Service, versions: ReadonlyMap<string, ServedVersion | 'retired'>): JobRecords {
  const open = (definition: ResourceDefinition, given: unknown) => {
    checkDefinition('records()', definition)
    const what = `records("${definition.collection}")`
    const options = knownOptions(what, given, jobKinds) as unknown as JobOptions<unknown, unknown>
    if (!Object.hasOwn(options, 'principal')) {
      throw invalidOption(`${what} of a job does not say on whose behalf. Give principal, also where it is undefined.`)
    }
    const { version: name, principal, timeout = service.timeout, signal, requestId, ...rest } = options
    if (!(Number.isFinite(timeout) && timeout > 0)) throw invalidOption(`timeout of ${what} is ${String(timeout)}. Give milliseconds.`)
    const version = versionOf(what, versions, name)
    const reach = new Reach(mountedIn(version, definition), reachOptions(what, rest, ownKinds))
    const parts = { service, version, versions, principal, timeout, signal, requestId }
    return new OwnRecords(() => new Job(parts), reach)
  }
  return open as unknown as JobRecords
}

function versionOf(what: string, versions: ReadonlyMap<string, ServedVersion | 'retired'>, name: string | undefined): ServedVersion {
  const living = [...versions.values()].filter(isLiving)
  const [only] = living
  const found = name === undefined && living.length === 1 ? only : living.find((version) => version.name === name)
  if (found !== undefined) return found
  const names = living.map((version) => version.name)
  if (name === undefined) throw invalidOption(`${what} of a job does not say whose rules hold. Give version: ${names.join(', ')}.`)
  throw invalidOption(`${what} of a job names the version "${name}". ${didYouMean(nearMiss(name, names), names)}`)
}

/** The resource of a definition. Throws `ConfigurationError` where it is not mounted there. */
function mountedIn({ table, name }: ServedVersion, definition: ResourceDefinition): Mounted {
  checkDefinition('records()', definition)
  const found = table.resources.find(({ plan }) => plan.definition === definition)
  if (found !== undefined) return found
  const { collection } = definition
  const names = table.resources.map(({ plan }) => plan.collection)
  const fix = names.includes(collection)
    ? `Another definition of "${collection}" is: give that one.`
    : `Mount it there. ${didYouMean(nearMiss(collection, names), names)}`
  throw new ConfigurationError('unknown-member', `records() got "${collection}", which is not mounted in ${name || 'this router'}. ${fix}`)
}
