/** The documents of the service that a module exports. */
import { basename } from 'node:path'
import type { Documents } from '../contract/compare-services.js'
import { documentsOf } from '../openapi/documents.js'
import { isConfigurationError } from '../problem.js'
import { loadModule, serviceOf } from './service-module.js'
import { UsageError } from './usage-error.js'

/**
 * Loads a module and describes the service that it exports. Throws `UsageError` if the module
 * exports no service, or if the service can't be described.
 */
export async function documentsOfModule(file: string): Promise<Documents> {
  const name = basename(file)
  const service = await serviceOfModule(file)
  try {
    return documentsOf(service)
  } catch (error) {
    if (isConfigurationError(error)) throw new UsageError(`${name}: ${error.message}`)
    throw error
  }
}

/** Loads a module and finds its service. Throws `UsageError` if it has none. */
export async function serviceOfModule(file: string): Promise<object> {
  return serviceOf(await loadModule(file), basename(file))
}
