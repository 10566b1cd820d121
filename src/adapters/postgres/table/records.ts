/** Decodes records from rows. The function that decodes a row is compiled once for each table. */
import { isObject, put } from '../../../definition/json.js'
import type { Cells } from '../connections/client.js'
import type { Content } from '../values/places.js'
import { decode, jsonValue } from '../values/places.js'

type Row = Record<string, unknown>

/** A member of the record to decode. */
interface ReadMember {
  readonly name: string
  readonly content: Content
  readonly nullable: boolean
}

/**
 * Compiles a function that decodes the record of a row. The first cells of the row hold the
 * members, in the order of `members`. With `hasRest`, the next cell holds the members without a
 * column of their own.
 */
export function compileRecord(members: readonly ReadMember[], hasRest: boolean): (cells: Cells) => Row {
  const decoders = members.map(({ content }) => decoderOf(content))
  const names = members.map(({ name }) => name)
  const nullable = members.map((member) => member.nullable)
  const known = new Set(names)
  const count = members.length
  const isPlain = !known.has('__proto__')

  // This code runs for hundreds of cells per page. So it loops by index, and calls no function for
  // cells that need no decoding.
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
 * The members without a column of their own, from the JSON object in cell `at`. Leaves out the
 * members in `known`, which have a column.
 */
export function restOf(cells: Cells, at: number, known: { has(name: string): boolean }): Row {
  const rest: Row = {}
  const text = cells[at] ?? null
  const others: unknown = text === null ? undefined : JSON.parse(text)
  if (isObject(others)) for (const [name, value] of Object.entries(others)) if (!known.has(name)) put(rest, name, value)
  return rest
}

type Decoder = (text: string) => unknown

/**
 * The function that converts a string from the database to the value it represents. `undefined` if
 * the string itself is the value.
 */
export function decoderOf(content: Content): Decoder | undefined {
  if (content.kind === 'array') return (text) => decode(content, text)
  if (content.kind === 'json') return jsonValue
  return content.type.plain ? undefined : content.type.decode
}
