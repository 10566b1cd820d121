/** The laws of conditional requests while other sessions update the same rows (HDR-3, HDR-8). */
import { isDeepStrictEqual } from 'node:util'
import type { Design, MemberDesign } from './designs.js'
import { expectLaw, type Found, own, type Row, short } from './laws.js'
import type { Answer, Client } from './service.js'

/** An update that another session runs. It sets one member in each of the caller's own rows. */
export interface Change {
  readonly member: MemberDesign
  /**
   * Sets the member to the first value (0) or to the second value (1). Resolves with `false` if the
   * database refuses the value.
   */
  run(which: 0 | 1): Promise<boolean>
}

/**
 * If an update by another session changes what GET returns, the tag changes too. A write with the
 * old tag gets 412 and changes nothing. A concurrent write never undoes the update.
 */
export async function changes(client: Client, design: Design, { path }: Found, change: Change): Promise<void> {
  const read = async (): Promise<Answer> => {
    const answer = await client.send('GET', path)
    expectLaw(answer.status === 200, 'GET shows a record that another session has updated.', path, short(answer))
    return answer
  }
  const before = await read()
  if (!(await change.run(0))) return
  const now = await read()
  if (now.text !== before.text) await outdated(client, path, before, now)
  await raced(client, design, path, now, change, read)
}

/** After an update, the tag of the old body matches neither in reads nor in writes. */
async function outdated(client: Client, path: string, before: Answer, now: Answer): Promise<void> {
  const old = String(before.headers.etag)
  const seen = await client.send('GET', path, { 'If-None-Match': old })
  expectLaw(
    seen.status === 200 && seen.text === now.text,
    "GET with the tag from before another session's update gets 200 and the new body.",
    path,
    short(seen),
  )
  const writes: readonly (readonly [method: string, body: unknown])[] = [
    ['PUT', before.json],
    ['PUT', now.json],
    ['PATCH', {}],
    ['DELETE', undefined],
  ]
  for (const [method, body] of writes) {
    const answer = await client.send(method, path, { 'If-Match': old }, body)
    expectLaw(
      answer.status === 412,
      `${method} with the tag from before another session's update gets 412.`,
      path,
      short(before),
      short(answer),
    )
  }
  const after = await client.send('GET', path)
  expectLaw(after.text === now.text, 'A 412 changes nothing.', path, short(now), short(after))
}

/**
 * Runs an update by another session at the same time as a conditional PUT and a PATCH of another
 * member.
 */
async function raced(
  client: Client,
  design: Design,
  path: string,
  now: Answer,
  { member, run }: Change,
  read: () => Promise<Answer>,
): Promise<void> {
  const row = now.json as Row
  const other = design.members.find(({ name, filled }) => filled === 'null' && name !== member.name)
  const patch = other === undefined ? {} : { [other.name]: null }
  const [put, patched, isDone] = await Promise.all([
    client.send('PUT', path, { 'If-Match': String(now.headers.etag) }, row),
    client.send('PATCH', path, {}, patch),
    run(1),
  ])
  expectLaw(
    [200, 412, 422].includes(put.status),
    'A PUT with If-Match during an update gets 200, 412 or 422.',
    path,
    short(put),
  )
  expectLaw([200, 422].includes(patched.status), 'A PATCH during an update gets 200 or 422.', path, short(patched))
  if (!isDone) return
  const left = await read()
  if (!(await run(1))) return
  const again = await read()
  const values = [left, again].map(({ json }) => own(json as Row, member.name))
  expectLaw(
    isDeepStrictEqual(values[0], values[1]),
    `An update of "${member.name}" by another session is not lost.`,
    path,
    short(now),
    short(put),
    short(patched),
    short(left),
    short(again),
  )
  const isSet = patched.status === 200 && other !== undefined && !(put.status === 200 && own(row, other.name) != null)
  expectLaw(
    !isSet || own(left.json as Row, other?.name ?? '') == null,
    'A PATCH during an update is not lost.',
    path,
    short(left),
  )
}
