/** What a parameter may be sent as, beside its values: reserved characters, no value. */
import { own } from '../definition/json.js'
import type { OwnKind } from './kinds.js'
import type { Place } from './nodes.js'

/** A change of a parameter, after the words for it. */
interface FlagChange {
  readonly kind: OwnKind
  readonly says: string
  readonly so: string
}

const flags = [
  {
    keyword: 'allowReserved',
    lost: {
      kind: 'parameter-reserved-refused',
      says: 'no longer takes reserved characters as they are',
      so: 'clients that send them unescaped get 400',
    },
    gained: { kind: 'parameter-reserved-allowed', says: 'takes reserved characters as they are now', so: '' },
  },
  {
    keyword: 'allowEmptyValue',
    lost: {
      kind: 'parameter-empty-refused',
      says: 'may no longer be sent without a value',
      so: 'clients that send it so get 400',
    },
    gained: { kind: 'parameter-empty-allowed', says: 'may be sent without a value now', so: '' },
  },
] as const satisfies readonly { readonly keyword: string; readonly lost: FlagChange; readonly gained: FlagChange }[]

/** What has changed of these between two parameters. */
export function flagChanges(before: Place, after: Place): readonly FlagChange[] {
  return flags.flatMap(({ keyword, lost, gained }) => {
    const [was, is] = [before, after].map(({ value }) => own(value, keyword) === true)
    return was === is ? [] : [was ? lost : gained]
  })
}
