/**
 * Compares the responses that `watch.ts` has collected with the OpenAPI documents of their
 * services.
 */
import type { DescribedDocument } from '../../src/openapi/strict/described.js'
import { exceptions } from './exceptions.js'
import { takePending } from './watch.js'

/**
 * Imports these modules only when there is a response to compare, because many test files serve no
 * requests.
 */
const load = async () => {
  const [{ requireDescription }, { openapi }, { DescribedDocument }, { describedPath }] = await Promise.all([
    import('../../src/plan/description.js'),
    import('../../src/openapi/openapi.js'),
    import('../../src/openapi/strict/described.js'),
    import('../../src/openapi/strict/describe-strictly.js'),
  ])
  return { requireDescription, openapi, DescribedDocument, describedPath }
}

/**
 * The OpenAPI documents of each service, by version. If a version has no document, its entry is an
 * error with the reason.
 */
const documents = new WeakMap<object, Map<string, DescribedDocument | Error>>()
/**
 * Compiled documents, by their JSON. They are cached because many tests create the same service
 * again. The least recently used entries are removed.
 */
const byText = new Map<string, DescribedDocument>()
const maxDocuments = 200
/** Matches the message about a body that violates its schema. */
const unfit = / responds with \d{3}: the body does not match the schema: /

/**
 * Takes the responses that were collected since the last call, and compares them with the documents
 * of their services. Returns messages about the differences, without duplicates.
 */
export async function takeFaults(file: string): Promise<readonly string[]> {
  const taken = takePending()
  if (taken.length === 0) return []
  const { requireDescription, openapi, DescribedDocument: Made, describedPath } = await load()
  const documentOf = (service: object, version: string): DescribedDocument | Error => {
    const versions = documents.get(service) ?? new Map<string, DescribedDocument | Error>()
    documents.set(service, versions)
    const known = versions.get(version) ?? make(service, version)
    versions.set(version, known)
    return known
  }
  const make = (service: object, version: string): DescribedDocument | Error => {
    try {
      const document = openapi(service, version)
      const text = JSON.stringify(document)
      const known = byText.get(text) ?? new Made(document)
      byText.delete(text)
      byText.set(text, known)
      for (const oldest of byText.keys()) {
        if (byText.size <= maxDocuments) break
        byText.delete(oldest)
      }
      return known
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    }
  }
  const faults = new Set<string>()
  for (const { visit, answered, mayNotFit } of taken) {
    const found = describedPath(requireDescription('the tests', visit.service), visit.path)
    for (const version of found?.versions ?? []) {
      const described = documentOf(visit.service, version)
      if (described instanceof Error) faults.add(described.message)
      else
        for (const fault of described.faults({
          ...answered,
          method: visit.method,
          path: found?.path ?? '',
          isOutsideVersions: found?.isOutsideVersions === true,
        }))
          if (!(mayNotFit && unfit.test(fault))) faults.add(fault)
    }
  }
  const excused = exceptions.filter((one) => one.file.test(file))
  return [...faults].filter((fault) => !excused.some((one) => one.fault.test(fault)))
}
