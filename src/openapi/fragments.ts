/**
 * Adds fragments, which describe hand-written routes, to a document. A fragment can't replace an
 * existing part of the document.
 */
import { isObject } from '../definition/json.js'
import type { DocumentFragment } from '../plan/document-options.js'
import { ConfigurationError } from '../problem.js'
import type { OpenApiDocument } from './document.js'

/**
 * Returns the document with the fragments added. Throws `ConfigurationError` if the document
 * already has one of the added operations or components. A tag that the document already has is
 * kept as it is.
 */
export function addFragments(document: OpenApiDocument, fragments: readonly DocumentFragment[]): OpenApiDocument {
  let whole = document
  for (const { paths = {}, components = {}, tags = [] } of fragments) {
    whole = {
      ...whole,
      paths: merged('paths', whole.paths, paths),
      components: merged('components', whole.components, components),
      tags: [...(whole.tags ?? []), ...tags.filter(({ name }) => whole.tags?.every((tag) => tag.name !== name))],
    }
  }
  return whole
}

type Tables = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Merges two levels of names: paths and their methods, or kinds of components and their names. */
function merged(what: string, known: Tables, added: Tables): Tables {
  const result: Record<string, Readonly<Record<string, unknown>>> = { ...known }
  for (const [name, entries] of Object.entries(added)) {
    const before = result[name]
    const taken = isObject(before) ? Object.keys(entries).find((entry) => Object.hasOwn(before, entry)) : undefined
    if (taken !== undefined) {
      throw new ConfigurationError(
        'description-clash',
        `A fragment has "${taken}" in "${name}" of "${what}", but the document already has this entry. ` +
          'Leave the entry out of the fragment, or rename it.',
      )
    }
    result[name] = { ...before, ...entries }
  }
  return result
}
