/** Decodes records from rows. The decoding of each member is compiled once per table. */
import { isObject, put } from '../../../definition/json.js'
import type { Cells } from '../connections/client.js'
import type { Content } from '../values/places.js'
import { decode, jsonValue } from '../values/places.js'

type Row = Record<string, unknown>

/** A member to decode. */
interface ReadMember {
  readonly name: string
  readonly content: Content
  readonly nullable: boolean
}

/**
 * Compiles a function that decodes the record of a row. Its first cells are those of the members,
 * followed by that of the members without a column, if there is one.
 */
export function compileRecord(members: readonly ReadMember[], hasRest: boolean): (cells: Cells) => Row {
  const decoders = members.map(({ content }) => decoderOf(content))
  const names = members.map(({ name }) => name)
  const nullable = members.map((member) => member.nullable)
  const known = new Set(names)
  const count = members.length
  const isPlain = !known.has('__proto__')

  // A loop by index, without a call for cells that need no decoding: a page has hundreds of cells.
  // Assigning members one by one is faster than copying an object.
  const read = (cells: Cells): Row => {
    const record: Row = {}
    for (let i = 0; i < count; i++) {
      const text = cells[i] ?? null
      const decoder = decoders[i]
      const value = text === null || decoder === undefined ? text : decoder(text)
      if (value === null && !nullable[i]) continue
      if (isPlain) record[names[i] as string] = value
      else put(record, names[i] as string, value)
    }
    return record
  }
  if (!hasRest) return read
  return (cells) => {
    const record = read(cells)
    const others = restOf(cells, count, known)
    for (const name of Object.keys(others)) put(record, name, others[name])
    return record
  }
}

/**
 * The members of a row that have no column: those in the JSON of cell `at`, except for members that
 * have one.
 */
export function restOf(cells: Cells, at: number, known: { has(name: string): boolean }): Row {
  const rest: Row = {}
  const text = cells[at] ?? null
  const others: unknown = text === null ? undefined : JSON.parse(text)
  if (isObject(others)) for (const [name, value] of Object.entries(others)) if (!known.has(name)) put(rest, name, value)
  return rest
}

type Decoder = (text: string) => unknown

/** A function from a text to its value; `undefined` if the text is the value. */
export function decoderOf(content: Content): Decoder | undefined {
  if (content.kind === 'array') return (text) => decode(content, text)
  if (content.kind === 'json') return jsonValue
  return content.type.plain ? undefined : content.type.decode
}
