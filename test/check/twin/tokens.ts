/** The tokens of the twin: JSON Web Tokens, signed and verified without a library. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Fault } from './faults.js'

const secret = 'a secret of the twin, 32 bytes or more'
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const signature = (text: string): string => createHmac('sha256', secret).update(text).digest('base64url')

/**
 * @param exp expiry in seconds since 1970, or null if the token never expires. Default: in the year
 * 2100
 */
export function tokenOf(sub: string, exp: number | null = 4_102_444_800): string {
  const text = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded({ sub, ...(exp === null ? {} : { exp }) })}`
  return `${text}.${signature(text)}`
}

/** The subject of a token, or `undefined` if the token is not valid. */
export function subjectOf(token: string, has: (fault: Fault) => boolean): string | undefined {
  const [head = '', body = '', given = ''] = token.split('.')
  const { alg } = parsed(head)
  const { sub, exp } = parsed(body)
  const known = Buffer.from(signature(`${head}.${body}`))
  const isSigned = alg === 'HS256' && known.length === given.length && timingSafeEqual(known, Buffer.from(given))
  const takesNone = has('algorithm none accepted') || (has('algorithm none accepted for one user') && sub === 'admin')
  const isTaken = isSigned || (has('signature not verified') && alg === 'HS256') || (takesNone && alg === 'none')
  const isEndless = exp === undefined && has('tokens without expiry')
  const isOver = !isEndless && !(Number(exp) * 1000 > Date.now()) && !has('expired tokens accepted')
  return isTaken && !isOver ? String(sub) : undefined
}

function parsed(text: string): Record<string, unknown> {
  try {
    return (JSON.parse(Buffer.from(text, 'base64url').toString()) ?? {}) as Record<string, unknown>
  } catch {
    return {}
  }
}
