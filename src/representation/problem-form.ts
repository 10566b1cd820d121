/** The forms of problems in XML (ERR-3; RFC 9457 B). */
import { type Form, formOfKind, listOf, openForm } from '../plan/form.js'

const text = formOfKind('string')

/** The members that are not strings. `allowed` has values of any type. */
const others: ReadonlyMap<string, Form> = new Map([
  ['status', formOfKind('number')],
  ['allowed', listOf(openForm)],
])

/** Values of any type, whose names depend on the code of the violation. */
const params: Form = Object.freeze({ kind: 'object', member: () => openForm, item: () => openForm })

const violation: Form = Object.freeze({
  kind: 'object',
  member: (name: string) => (name === 'params' ? params : (others.get(name) ?? text)),
  item: () => openForm,
})

const problem: Form = Object.freeze({
  kind: 'object',
  member: (name: string) => (name === 'errors' ? listOf(violation) : (others.get(name) ?? text)),
  item: () => openForm,
})

/** The namespace, and `i` for the items of each list, come from the RFC. */
export const problemWire = Object.freeze({ root: 'problem', form: problem, namespace: 'urn:ietf:rfc:7807', items: 'i' })
