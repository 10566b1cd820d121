/** The documents of the service that a module exports. */
import { basename } from 'node:path'
import type { Documents } from '../contract/compare-services.js'
import { documentsOf } from '../openapi/documents.js'
import { isConfigurationError } from '../problem.js'
import { loadModule, serviceOf } from './service-module.js'
import { UsageError } from './usage-error.js'

/** Loads a module and describes what it exports. Throws `UsageError` where that is no service, or one that can not be described. */
export async function documentsOfModule(file: string): Promise<Documents> {
  const name = basename(file)
  const service = serviceOf(await loadModule(file), name)
  try {
    return documentsOf(service)
  } catch (error) {
    if (isConfigurationError(error)) throw new UsageError(`${name}: ${error.message}`)
    throw error
  }
}
