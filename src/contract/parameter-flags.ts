/** Compares the flags of parameters: `allowReserved` and `allowEmptyValue`. */
import { own } from '../definition/json.js'
import type { OwnKind } from './kinds.js'
import type { Place } from './nodes.js'

/** A change of a flag. `predicate` is for a sentence whose subject is the parameter. */
interface FlagChange {
  readonly kind: OwnKind
  readonly predicate: string
  readonly effect: string
}

const flags = [
  {
    keyword: 'allowReserved',
    lost: {
      kind: 'parameter-reserved-refused',
      predicate: 'no longer accepts unencoded reserved characters',
      effect: 'clients that send them unencoded get 400',
    },
    gained: { kind: 'parameter-reserved-allowed', predicate: 'accepts unencoded reserved characters now', effect: '' },
  },
  {
    keyword: 'allowEmptyValue',
    lost: {
      kind: 'parameter-empty-refused',
      predicate: 'may no longer be sent without a value',
      effect: 'clients that send it without a value get 400',
    },
    gained: { kind: 'parameter-empty-allowed', predicate: 'may be sent without a value now', effect: '' },
  },
] as const satisfies readonly { readonly keyword: string; readonly lost: FlagChange; readonly gained: FlagChange }[]

/** Returns the changed flags of a parameter. */
export function flagChanges(before: Place, after: Place): readonly FlagChange[] {
  return flags.flatMap(({ keyword, lost, gained }) => {
    const [was, is] = [before, after].map(({ value }) => own(value, keyword) === true)
    return was === is ? [] : [was ? lost : gained]
  })
}
