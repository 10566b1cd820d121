/**
 * Sets members that must have fixed values. On a create, these are the members of the scope and of
 * the parent. On a change, these are the members of the key and of the scope.
 */
import { put } from '../../../definition/json.js'
import type { KeyCodec, KeyValue } from '../../../definition/key.js'
import type { AdapterCall } from '../../contract.js'

type Row = Readonly<Record<string, unknown>>

/** Returns a copy of the record, with `members` set. */
export function fixed(record: Row, members: Row): Record<string, unknown> {
  const next = { ...record }
  for (const name of Object.keys(members)) put(next, name, members[name])
  return next
}

/**
 * Returns a copy of the record, with the members of the key and of the scope set. Returns the
 * record itself if it already has these values.
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
