/** Creates and changes own records, for several checks. */
import { header, mediaType } from '../../wire.js'
import { NotApplicable, Unchecked } from '../verdict.js'
import { type Owner, withJson } from './own-record.js'

export function needsMethod({ list }: Owner, method: string): void {
  if (!list.target.itemMethods.includes(method))
    throw new NotApplicable(`items of ${list.target.template} do not accept ${method}`)
}

/** A merge patch of the marker: another text of the same length, which contains `n`. */
export function patchOf(owner: Owner, marker: string, n: number): Readonly<Record<string, string>> {
  const { marker: member } = owner.creation
  if (member === undefined)
    throw new Unchecked('no free text member is known that may be changed. Give "create.marker" in a target file')
  return { [member]: `${marker.slice(0, -2)}${String(n).padStart(2, '0')}` }
}

/** A body of PATCH (RFC 7396), with further header fields. */
export const mergePatch = (value: unknown, headers: Readonly<Record<string, string>> = {}) =>
  withJson(value, { [header.contentType]: mediaType.mergePatch, ...headers })

export const ifMatch = (field: string) => ({ [header.ifMatch]: field })

/**
 * A new record, as GET returns it. Throws `NotApplicable` if items do not accept one of these
 * methods.
 */
export async function newRecord(owner: Owner, ...methods: readonly string[]) {
  for (const method of methods) needsMethod(owner, method)
  const own = await owner.make()
  return { own, ...(await owner.current(own)) }
}

/** A new record, as it was before a PATCH that succeeded. */
export async function patchedRecord(owner: Owner) {
  const { own, ...before } = await newRecord(owner, 'PATCH')
  const patch = await owner.send('PATCH', own, mergePatch(patchOf(owner, own.marker, 1), ifMatch(before.tag)))
  if (patch.answer.status >= 300) throw new Unchecked(`PATCH with the current tag was answered ${patch.answer.status}`)
  return { own, before, patch }
}
