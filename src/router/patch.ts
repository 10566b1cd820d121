/** What a PATCH asks for, in either of its formats (VERB-5). */
import type { Awaitable, Stored } from '../adapters/contract.js'
import type { JsonObject } from '../definition/json.js'
import { applyOperations, type PatchOperation, readOperations } from '../plan/json-patch.js'
import { mergeBody, objectBody, recordFromPatched, recordToPatch } from '../plan/record.js'
import type { Violation } from '../problem.js'
import type { Place } from './caller.js'
import { storedTerms } from './links.js'
import { scopeOf } from './scope.js'
import { shown } from './sight.js'

export interface Patch {
  /** The record that it makes of the stored one, at this place. Throws `invalid-body`. */
  compose(place: Place, stored: Stored<JsonObject>): Awaitable<JsonObject>
}

/** The members to change (RFC 7396). */
export class MergePatch implements Patch {
  readonly #members: JsonObject

  constructor(members: JsonObject) {
    this.#members = members
  }

  /** That of a decoded body. Throws `invalid-body`; `jsonPatch`: whether the service takes JSON Patch as well. */
  static of(body: unknown, jsonPatch: boolean): MergePatch {
    return new MergePatch(mergeBody(body, jsonPatch))
  }

  compose(place: Place, { value: current }: Stored<JsonObject>): JsonObject {
    const { resource } = place
    const found: Violation[] = []
    const members = storedTerms(place, resource, this.#members, found)
    const patched = { plan: resource.plan, current, fixed: scopeOf(place, resource), found }
    return recordToPatch(patched, members, resource.patchesShare)
  }
}

/** Operations on what the client sees, of which the result is taken as what a PUT sends (RFC 6902). */
export class JsonPatch implements Patch {
  readonly #operations: readonly PatchOperation[]

  /** Throws `invalid-body` for a body that is no JSON Patch. */
  constructor(body: unknown) {
    this.#operations = readOperations(body)
  }

  async compose(place: Place, stored: Stored<JsonObject>): Promise<JsonObject> {
    const { resource, service } = place
    const { plan } = resource
    const { document, removed } = applyOperations(await shown(place, stored), this.#operations, service, plan.definition.shape)
    const found: Violation[] = []
    const seen = storedTerms(place, resource, objectBody(document), found)
    return recordFromPatched({ plan, current: stored.value, fixed: scopeOf(place, resource), found }, seen, removed)
  }
}
