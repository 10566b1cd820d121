/** Checks the results of `create()` of an adapter against the adapter contract. */
import { inspect } from 'node:util'
import { cutText } from '../cut-text.js'
import { isContainer } from '../definition/json.js'
import type { KeyCodec, KeyValue } from '../definition/key.js'
import { isScalar } from '../definition/shape.js'
import { loggableError } from '../failures/loggable.js'
import type { ResourcePlan } from '../plan/resource-plan.js'

/** Whether a value is a result that `create()` may return, other than a refusal. */
export const isCreated = (result: unknown): boolean =>
  isContainer(result) &&
  (('created' in result && isContainer(result.created)) || 'accepted' in result || 'nothing' in result)

/** Throws if a result without a record is neither `{ accepted: key }` nor `{ nothing: true }`. */
export function checkDeferred(plan: ResourcePlan, result: object): void {
  if (!isCreated(result))
    throw loggableError(
      `The adapter of "${plan.collection}" returned ${spelled(result)} from create(). ` +
        'Allowed are { created: { value, version } }, { accepted: key }, { nothing: true } and a refusal.',
    )
  if ('accepted' in result && !isKey(plan.key, result.accepted)) {
    const { composite, members } = plan.key
    throw loggableError(
      `The adapter of "${plan.collection}" returned ${spelled(result)} from create(). "accepted" is the key of ` +
        `the record: ${composite ? `an object with ${members.join(', ')}` : 'a string, number or boolean'}.`,
    )
  }
}

/** Whether a value is a key: a scalar, or an object whose members are the parts of the key. */
const isKey = (codec: KeyCodec, value: unknown): boolean =>
  isContainer(value) === codec.composite && codec.parts(value as KeyValue).every(isScalar)

/** A wrong result of an adapter, shortened for a message. */
const spelled = (result: unknown): string => cutText(inspect(result, { depth: 1, breakLength: Infinity }), 200)
