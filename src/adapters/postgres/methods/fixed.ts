/**
 * Sets the members of a record whose values are fixed. On a create, these are the members of the
 * scope and of the parent. On a change, these are the members of the key and of the scope.
 */
import { put } from '../../../definition/json.js'
import type { KeyCodec, KeyValue } from '../../../definition/key.js'
import type { AdapterCall } from '../../contract.js'

type Row = Readonly<Record<string, unknown>>

/** The record with these members set. */
export function fixed(record: Row, members: Row): Record<string, unknown> {
  const next = { ...record }
  for (const name of Object.keys(members)) put(next, name, members[name])
  return next
}

/**
 * Returns the record with the key and the scope under which it is stored. Returns the same object
 * if the record already has these values.
 */
export function underKey(record: Row, codec: KeyCodec, key: KeyValue, { scope }: AdapterCall): Row {
  const { members } = codec
  const parts = codec.parts(key)
  if (
    members.every((name, i) => record[name] === parts[i]) &&
    Object.keys(scope).every((name) => record[name] === scope[name])
  )
    return record
  return fixed(fixed(record, Object.fromEntries(members.map((name, i) => [name, parts[i]]))), scope)
}
