/** Finds the references in a document that have no target or lead into a loop. */
import { isDocumentData, isDocumentMap } from '../../definition/document-maps.js'
import { isContainer, isList, isObject, own } from '../../definition/json.js'
import type { Finding } from '../../spectral/index.js'
import { at } from '../target/references.js'

/**
 * Returns a finding for each reference within the document whose target does not exist, and for
 * each reference that leads into a loop of references.
 */
export function referenceFaults(document: unknown): readonly Finding[] {
  const faults: Finding[] = []
  // In a YAML document with aliases, the same object may occur in several positions.
  const seen = new Set<object>()
  const walk = (value: unknown, path: readonly (string | number)[], isMap = false): void => {
    if (!isContainer(value) || seen.has(value)) return
    seen.add(value)
    if (isList(value)) {
      for (const [index, item] of value.entries()) walk(item, [...path, index])
      return
    }
    const reference = own(value, '$ref')
    if (typeof reference === 'string') {
      const fault = faultOf(document, reference)
      if (fault !== undefined) faults.push({ message: fault, path: [...path, '$ref'] })
    }
    for (const [name, member] of Object.entries(value)) {
      if (!isMap && isDocumentData(name, member)) continue
      walk(member, [...path, name], !isMap && isDocumentMap(name, member))
    }
  }
  walk(document, [])
  return faults
}

function faultOf(document: unknown, reference: string): string | undefined {
  if (!/^#(?:\/|$)/.test(reference)) return undefined
  const trail: string[] = []
  let next: unknown = reference
  while (typeof next === 'string' && next.startsWith('#')) {
    if (trail.includes(next))
      return (
        `The reference "${reference}" leads into a loop: ${[...trail, next].join(' -> ')}. ` +
        'Replace one of these references with a value.'
      )
    trail.push(next)
    const found = at(document, next.slice(1))
    if (found === undefined)
      return (
        `The reference "${reference}" has no target` +
        `${trail.length > 1 ? `: it leads to ${next}, which does not exist` : ''}. ` +
        'Add the target, or correct the reference.'
      )
    next = isObject(found) ? own(found, '$ref') : undefined
  }
  return undefined
}
