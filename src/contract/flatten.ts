/** What a schema says, taken apart: the plain schemas that must all hold (`$ref`, `allOf`), and the unions of which one branch must. */
import { isList, isObject, type JsonObject, own } from '../definition/json.js'
import { child, type Place, type Source } from './nodes.js'

/** Schemas that must all hold, such as the branches of an `allOf`. None of them allows everything. */
export type Schema = readonly Place[]

/** `anyOf` or `oneOf`. */
export interface Union {
  readonly keyword: 'anyOf' | 'oneOf'
  readonly branches: readonly Place[]
}

/** A schema without references and `allOf`. */
export interface Flat {
  /** Without `$ref`, `allOf`, `anyOf`, `oneOf`. */
  readonly plains: readonly Place[]
  readonly unions: readonly Union[]
  /** Pointers of everything that was looked at, so that recursion ends. */
  readonly seen: ReadonlySet<string>
  /** Names of the components that were passed. */
  readonly names: readonly string[]
}

/** Takes a schema apart. What was seen before adds nothing. */
export function flatten(source: Source, schema: Schema, before: ReadonlySet<string> = new Set()): Flat {
  const plains: Place[] = []
  const unions: Union[] = []
  const names: string[] = []
  const seen = new Set(before)
  const visit = (place: Place): void => {
    if (seen.has(place.pointer)) return
    seen.add(place.pointer)
    const { value } = place
    if (!isObject(value)) {
      if (value === false) plains.push(place)
      return
    }
    const ref = value.$ref ?? (source.legacy ? undefined : value.$dynamicRef)
    if (typeof ref === 'string') {
      const target = source.target(ref, place.pointer)
      const name = componentOf(target.pointer)
      if (name !== undefined) names.push(name)
      visit(target)
      // OpenAPI 3.0 ignores what stands beside a reference.
      if (source.legacy) return
    }
    for (const branch of branchesOf(place, 'allOf')) visit(branch)
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const branches = branchesOf(place, keyword)
      if (branches.length > 0) unions.push({ keyword, branches })
    }
    plains.push(place)
  }
  for (const place of schema) visit(place)
  return { plains, unions, seen, names }
}

function branchesOf(place: Place, keyword: string): readonly Place[] {
  const list = own(place.value, keyword)
  return isList(list) ? list.map((_, index) => child(child(place, keyword), String(index))) : []
}

/** `Order` of `#/components/schemas/Order`. */
const componentOf = (pointer: string): string | undefined => /^#\/components\/schemas\/([^/]+)$/.exec(pointer)?.[1]

/** Whether any of what must hold says `true` to a keyword, such as `readOnly`. */
export function saysTrue(source: Source, schema: Schema, keyword: string): boolean {
  return flatten(source, schema).plains.some(({ value }) => own(value, keyword) === true)
}

/** What is said by a keyword first; `undefined` where nothing is. */
export const firstSaid = (source: Source, schema: Schema, keyword: string): unknown =>
  saidBy(flatten(source, schema).plains, keyword)

/** The same of a schema that was taken apart. */
export function saidBy(plains: readonly Place[], keyword: string): unknown {
  for (const { value } of plains) {
    const said = own(value, keyword)
    if (said !== undefined) return said
  }
  return undefined
}

/** The schema of a place, as its parts hold together. */
export const schemaOf = (place: Place | undefined): Schema => (place === undefined ? [] : [place])

/** What identifies a schema in its document. */
export const keyOf = (schema: Schema): string =>
  schema.map(({ value, pointer }) => soleReference(value) ?? pointer).join(' ')

/** Where a schema is a reference and nothing else. */
function soleReference(value: unknown): string | undefined {
  if (!isObject(value) || typeof value.$ref !== 'string') return undefined
  return Object.keys(value as JsonObject).length === 1 ? value.$ref : undefined
}
