/**
 * The 404 for a path that no route matches (PATH-1). If possible, its detail names paths that
 * exist.
 */
import { cutText } from '../cut-text.js'
import type { KeyCodec } from '../definition/key.js'
import type { Shape } from '../definition/shape.js'
import { formatWords, typeWords } from '../definition/value-words.js'
import { nearMiss } from '../near-miss.js'
import type { ResourcePlan } from '../plan/resource-plan.js'
import type { Mounted } from '../plan/routes.js'
import { HttpProblem } from '../problem.js'
import type { Operation } from './operations/operation.js'
import type { ServedVersion } from './served-version.js'

/** The maximum number of names in a detail. */
const maxNames = 20

/**
 * Returns the 404. If possible, its detail suggests the path with the most similar name, or says
 * what a key must be. Otherwise, it lists the names that exist, if `lists` is true. A service with
 * the option `permission` lists none, because the caller may not be allowed to see all of them.
 */
export function unknownPath(version: ServedVersion, segments: readonly string[], lists: boolean): HttpProblem {
  return new HttpProblem('unknown-path', { detail: reasonOf(version, segments, lists) })
}

function reasonOf(version: ServedVersion, segments: readonly string[], lists: boolean): string {
  const served = collectionsOf(version)
  for (const [path, resource] of served) {
    const rest = segments.slice(path.split('/').length)
    if (rest.length > 0 && segments.slice(0, -rest.length).join('/') === path)
      return belowCollection(resource, rest, lists)
  }
  const where = version.name === '' ? '' : ` in ${version.name}`
  const paths = [...served.keys()]
  const known = paths.length === 0 || !lists ? '' : ` Collections${where}: ${listOf(paths)}.`
  const [first = '', second] = segments
  if (first === '') return `This path has no resource.${known}`
  const contained = version.table.routes.find((one) => one.kind === 'collection' && one.template.endsWith(`/${first}`))
  if (contained?.resource?.parent !== undefined)
    return `"${cutText(first, 80)}" exists only below its parent: ${contained.template}.`
  const pair = `${first}/${second}`
  // The path of a collection may begin with an area.
  const near =
    paths.find((path) => path.endsWith(`/${first}`)) ??
    nearMiss(first, paths) ??
    (second === undefined ? undefined : nearMiss(pair, paths))
  const isArea = second !== undefined && paths.some((path) => path.startsWith(`${first}/`))
  const fault = `There is no collection "${cutText(isArea ? pair : first, 80)}"${where}.`
  return near === undefined ? `${fault}${known}` : `${fault} Did you mean "${near}"?`
}

/**
 * The collections that the version serves directly below its own path, by their paths. Collections
 * below a parent are not included.
 */
function collectionsOf({ table }: ServedVersion): ReadonlyMap<string, Mounted<Operation>> {
  const found = new Map<string, Mounted<Operation>>()
  for (const { kind, template, resource } of table.routes)
    if (kind === 'collection' && resource !== undefined && resource.parent === undefined)
      found.set(template.slice(1), resource as Mounted<Operation>)
  return found
}

function belowCollection({ plan, below }: Mounted, rest: readonly string[], lists: boolean): string {
  const { collection } = plan
  const [id = '', name = '', ...further] = rest
  if (plan.key.parse(id) === undefined) return keyFault(plan, id)
  const names = [...below.keys()]
  const next = below.get(name)
  if (next === undefined) {
    const fault = `The items of "${collection}" have no "${cutText(name, 80)}" below them.`
    const near = nearMiss(name, names)
    if (near !== undefined) return `${fault} Did you mean "${near}"?`
    return names.length === 0 || !lists ? fault : `${fault} They have: ${listOf(names)}.`
  }
  const [memberId = ''] = further
  if (next.kind === 'contained' && further.length > 0) return belowCollection(next.mounted, further, lists)
  if (next.kind === 'attached' && next.child.plan.key.parse(memberId) === undefined)
    return keyFault(next.child.plan, memberId)
  return `There is nothing below "${name}".`
}

const keyFault = ({ collection, key, definition }: ResourcePlan, id: string): string =>
  `"${cutText(id, 80)}" can't be a key of "${collection}": ${keyWords(key, definition.shape)}. ` +
  `Use a URL from the service's own links.`

const listOf = (names: readonly string[]): string =>
  `${names.slice(0, maxNames).join(', ')}${names.length > maxNames ? ', ...' : ''}`

/** Says what the key of a record must be, such as `"id" must be a whole number`. */
function keyWords({ members, composite }: KeyCodec, shape: Shape): string {
  const parts = members.map((member) => `"${member}" must be ${partWords(shape.members.get(member))}`)
  if (!composite) return parts.join()
  return `its keys have the form "${members.map((member) => `${member}=...`).join(',')}", and ${parts.join(', ')}`
}

/**
 * Returns the phrase for one member of a key. A number has only one spelling (PATH-11), so the
 * phrase for a number contains an example.
 */
function partWords(shape: Shape | undefined): string {
  if (shape?.types.has('integer')) return `${typeWords(['integer'])} such as 3 (not 03)`
  if (shape?.types.has('number')) return `${typeWords(['number'])} such as 1.5 (not 1.50)`
  if (shape?.types.has('boolean')) return typeWords(['boolean'])
  return shape?.format === undefined ? typeWords(['string']) : formatWords(shape.format)
}
