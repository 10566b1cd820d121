/**
 * The JSON types of the members of a problem, which are needed to write it as XML (ERR-3; RFC 9457
 * appendix B).
 */
import { type Form, formOfKind, listOf, openForm } from '../plan/form.js'

const text = formOfKind('string')

/**
 * The types of the member `status` of a problem and the member `allowed` of a violation. The values
 * in `allowed` may have any type.
 */
const others: ReadonlyMap<string, Form> = new Map([
  ['status', formOfKind('number')],
  ['allowed', listOf(openForm)],
])

/**
 * The parameters of a violation. Their names depend on the code of the violation, and their values
 * may have any type.
 */
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

/**
 * How a problem is written in XML. RFC 9457 defines the namespace, and the name `i` for the items
 * of each list.
 */
export const problemWire = Object.freeze({
  root: 'problem',
  form: problem,
  namespace: 'urn:ietf:rfc:7807',
  nestedItem: 'i',
})
