/** The tokens of the twin: JSON Web Tokens, signed and verified by hand. */
import { createHmac, timingSafeEqual } from 'node:crypto'

const secret = 'a secret of the twin, 32 bytes or more'
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const signature = (text: string): string => createHmac('sha256', secret).update(text).digest('base64url')

export function tokenOf(sub: string): string {
  const text = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded({ sub })}`
  return `${text}.${signature(text)}`
}

/** The subject of a token; `undefined` where it is not ours. */
export function subjectOf(token: string, verifies: boolean, takesNone: boolean): string | undefined {
  const [head = '', body = '', given = ''] = token.split('.')
  const { alg } = parsed(head)
  const known = Buffer.from(signature(`${head}.${body}`))
  const isSigned = alg === 'HS256' && known.length === given.length && timingSafeEqual(known, Buffer.from(given))
  const isTaken = isSigned || (!verifies && alg === 'HS256') || (takesNone && alg === 'none')
  return isTaken ? String(parsed(body).sub) : undefined
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>
  } catch {
    return {}
  }
}
