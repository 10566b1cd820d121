/** What problems are made of in XML (ERR-3; RFC 9457 B). */
import { type Form, listOf, openForm } from '../plan/form.js'

const text: Form = Object.freeze({ kind: 'string', member: () => openForm, item: () => openForm })

/** The members whose values are no text; `allowed` holds values of any type. */
const others: ReadonlyMap<string, Form> = new Map([
  ['status', { ...text, kind: 'number' } as const],
  ['allowed', listOf(openForm)],
])

const violation: Form = Object.freeze({ kind: 'object', member: (name: string) => others.get(name) ?? text, item: () => openForm })

const problem: Form = Object.freeze({
  kind: 'object',
  member: (name: string) => (name === 'errors' ? listOf(violation) : (others.get(name) ?? text)),
  item: () => openForm,
})

/** The namespace, and `i` for the items of each list, are the RFC's. */
export const problemWire = Object.freeze({ root: 'problem', form: problem, namespace: 'urn:ietf:rfc:7807', items: 'i' })
