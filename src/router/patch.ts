/** The two formats of the body of a PATCH (VERB-5). The step `parse` chooses one of them. */
import type { Awaitable, Stored } from '../adapters/contract.js'
import type { JsonObject } from '../definition/json.js'
import { applyOperations, type PatchOperation, readOperations } from '../plan/json-patch.js'
import { mergeBody, objectBody, recordFromPatched, recordToPatch } from '../plan/record.js'
import type { Violation } from '../problem.js'
import type { Place } from './caller.js'
import { crossedLinks, storedTerms } from './links.js'
import { shownItem } from './related-records.js'
import { scopeOf } from './scope.js'

/** A parsed PATCH body. */
export interface Patch {
  /**
   * Returns the patched record as it is stored, with keys instead of links. Throws `invalid-body`
   * if the patch can't be applied, or if the patched record is invalid.
   */
  compose(place: Place, stored: Stored<JsonObject>): Awaitable<JsonObject>
}

/** A merge patch: the members to change (RFC 7396). */
export class MergePatch implements Patch {
  readonly #members: JsonObject

  constructor(members: JsonObject) {
    this.#members = members
  }

  /**
   * Reads a merge patch from a decoded body. Throws `invalid-body` if the body is not an object.
   * `jsonPatch` is true if the service also accepts JSON Patch. In that case, the error for a body
   * that is an array mentions JSON Patch.
   */
  static of(body: unknown, jsonPatch: boolean): MergePatch {
    return new MergePatch(mergeBody(body, jsonPatch))
  }

  compose(place: Place, { value: current }: Stored<JsonObject>): JsonObject {
    const { resource } = place
    const violations: Violation[] = []
    const members = storedTerms(place, resource, this.#members, violations)
    if (resource.plan.shared.size > 0) violations.push(...crossedLinks(resource, members, current))
    const patched = { plan: resource.plan, current, fixed: scopeOf(place, resource), violations }
    return recordToPatch(patched, members, resource.patchesShare)
  }
}

/**
 * A JSON Patch: operations on the record as the client sees it (RFC 6902). The result is read like
 * the body of a PUT, but without defaults.
 */
export class JsonPatch implements Patch {
  readonly #operations: readonly PatchOperation[]

  /** Throws `invalid-body` for a body that is not a JSON Patch. */
  constructor(body: unknown) {
    this.#operations = readOperations(body)
  }

  async compose(place: Place, stored: Stored<JsonObject>): Promise<JsonObject> {
    const { resource, service } = place
    const { plan } = resource
    const { document, removed } = applyOperations(
      await shownItem(place, stored),
      this.#operations,
      service,
      plan.definition.shape,
    )
    const violations: Violation[] = []
    const seen = storedTerms(place, resource, objectBody(document), violations)
    return recordFromPatched(
      { plan, current: stored.value, fixed: scopeOf(place, resource), violations },
      seen,
      removed,
    )
  }
}
