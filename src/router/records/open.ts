/**
 * Implements `records()`: finds the mounted resource of a definition. For a job (work outside of
 * any request), also creates its `Caller`.
 */

import { checkDefinition, type ResourceDefinition } from '../../definition/resource.js'
import { didYouMean, nearMiss } from '../../near-miss.js'
import { checkOptions, invalidOption } from '../../options/check.js'
import type { Kinds } from '../../options/kinds.js'
import type { JobOptions, JobRecords, RecordsOf, RecordsOptions } from '../../plan/records.js'
import type { Mounted } from '../../plan/routes.js'
import { ConfigurationError } from '../../problem.js'
import type { Caller } from '../caller.js'
import { isLiving, type ServedVersion, type Versions } from '../served-version.js'
import type { Service } from '../service.js'
import { DataAccess, dataAccessKinds } from './data-access.js'
import { Job } from './job.js'
import { OwnRecords } from './records.js'

export const jobKinds: Kinds<JobOptions<unknown, unknown>> = {
  ...dataAccessKinds,
  principal: 'any',
  version: 'string',
  timeout: { from: 0, above: true, to: Number.MAX_SAFE_INTEGER, unit: 'milliseconds' },
  signal: { by: 'an AbortSignal', is: (value) => typeof (value as Partial<AbortSignal> | null)?.aborted === 'boolean' },
  requestId: 'string',
}

/**
 * Returns the function `records()` that works on behalf of a request, for the resources of its
 * version.
 */
export function recordsFor(caller: Caller): RecordsOf {
  const open = (definition: ResourceDefinition, given: unknown = {}) => {
    const mounted = mountedIn(caller.version, definition)
    const options = checkOptions<RecordsOptions<unknown, unknown>>(
      `records("${definition.collection}")`,
      given,
      dataAccessKinds,
    )
    return new OwnRecords(() => caller, new DataAccess(mounted, options))
  }
  return open as unknown as RecordsOf
}

/** Returns the function `records()` that jobs use, for the resources of a service. */
export function jobRecords(service: Service, versions: Versions): JobRecords {
  const open = (definition: ResourceDefinition, given: unknown = {}) => {
    checkDefinition('records()', definition)
    const what = `records("${definition.collection}")`
    const options = checkOptions<JobOptions<unknown, unknown>>(what, given, jobKinds)
    if (!Object.hasOwn(options, 'principal')) {
      throw invalidOption(
        `${what} of a job has no principal. Pass the option "principal", even if its value is undefined.`,
      )
    }
    const { version: name, principal, timeout = service.timeout, signal, requestId, ...rest } = options
    const version = versionOf(what, versions, name)
    const access = new DataAccess(mountedIn(version, definition), rest)
    const parts = { service, version, versions, principal, timeout, signal, requestId }
    return new OwnRecords(() => new Job(parts), access)
  }
  return open as unknown as JobRecords
}

function versionOf(what: string, versions: Versions, name: string | undefined): ServedVersion {
  const living = [...versions.values()].filter(isLiving)
  const [only] = living
  const found = name === undefined && living.length === 1 ? only : living.find((version) => version.name === name)
  if (found !== undefined) return found
  const names = living.map((version) => version.name)
  if (name === undefined)
    throw invalidOption(
      `${what} of a job does not say which version's rules apply. Pass the option "version". ` +
        didYouMean(undefined, names),
    )
  throw invalidOption(
    `${what} of a job names the version "${name}", which is not served. ${didYouMean(nearMiss(name, names), names)}`,
  )
}

/**
 * Returns the mounted resource of a definition. Throws `ConfigurationError` if the definition is
 * not mounted in this version.
 */
function mountedIn({ table, name }: ServedVersion, definition: ResourceDefinition): Mounted {
  checkDefinition('records()', definition)
  const found = table.resources.find(({ plan }) => plan.definition === definition)
  if (found !== undefined) return found
  const { collection } = definition
  const names = table.resources.map(({ plan }) => plan.collection)
  const fix = names.includes(collection)
    ? `Another definition of "${collection}" is mounted: pass that one.`
    : `Mount it there. ${didYouMean(nearMiss(collection, names), names)}`
  throw new ConfigurationError(
    'unknown-member',
    `records() got "${collection}", which is not mounted in ${name || 'this router'}. ${fix}`,
  )
}
