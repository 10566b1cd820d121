/**
 * Random tables like those of real services, as plain data. `built.ts` derives the DDL and the
 * definition from them.
 */
import fc from 'fast-check'
import type { Kind } from './kinds.js'

/**
 * The source of a member's value if a request omits the member. With `sent`, every request must
 * contain the member.
 */
type Filled = 'null' | 'sent' | 'default' | 'generated' | 'identity' | 'identity by default' | 'serial' | 'scope'

export interface MemberDesign {
  readonly name: string
  readonly kind: Kind
  readonly filled: Filled
}

type Form = 'table' | 'partitioned' | 'view' | 'readFrom' | 'softDelete'
/**
 * The source of the version of a row. With `unmoved`, the version is a column that no trigger
 * changes when other sessions update the row.
 */
type Version = 'xmin' | 'uuid' | 'sequence' | 'expression' | 'unmoved'
type Trigger =
  | 'none'
  | 'audit'
  | 'lower case'
  | 'upper case, after'
  | 'upper case, deferred'
  | 'null'
  | 'raise'
  | 'raise, deferred'
  | 'touch'
/** Policies of row-level security: one policy for all commands, or one for each command. */
type Security = 'none' | 'one policy' | 'policy of each command'
type KeyForm =
  | 'sent'
  | 'composite'
  | 'serial'
  | 'identity'
  | 'identity by default'
  | 'uuid'
  | 'text'
  | 'counted'
  | 'composite identity'

export interface Design {
  readonly form: Form
  readonly version: Version
  readonly trigger: Trigger
  readonly keyForm: KeyForm
  readonly key: readonly MemberDesign[]
  readonly members: readonly MemberDesign[]
  /** The member with a unique constraint. */
  readonly unique: { readonly member: string; readonly deferred: boolean } | undefined
  /** Two members of type `bigint` that together refer to a row of another table. */
  readonly reference: { readonly members: readonly [string, string]; readonly deferred: boolean } | undefined
  readonly names: 'snake_case' | 'same'
  readonly security: Security
}

/**
 * A row to send. `values` is the body of the request. `odd` has the names of the members whose
 * values the service is allowed to refuse.
 */
export interface RowDesign {
  readonly values: Readonly<Record<string, unknown>>
  readonly odd: readonly string[]
}

/** Names of members that are common in real tables. */
const plainNames = ['nombre', 'fechaDeEntrada', 'cpDestinoID', 'importe_total', 'x', 'numero2'] as const
const hardNames = [
  'order',
  'user',
  'Select',
  'GROUP',
  'Mixed Case',
  `it's`,
  'say "hi"',
  'ñandú',
  'a%b',
  'ctid_',
  'constructor',
  'v',
  'c0',
  'k0',
  '_r',
  'limit',
  'sort',
  'colon:name',
  '$1',
  'back\\slash',
] as const

const bigint: Kind = {
  name: 'reference',
  type: 'bigint',
  schema: { type: 'integer' },
  values: fc.constantFrom(1, 2),
  odd: fc.constantFrom(3, 4),
  compares: 'all',
  keyable: false,
}
/** The member whose value is the scope of the caller. */
const owner: MemberDesign = {
  name: 'lawsOwner',
  filled: 'scope',
  kind: {
    name: 'scope',
    type: 'text',
    schema: { type: 'string' },
    values: fc.constant('mine'),
    compares: 'all',
    keyable: false,
    foreign: [`'mine'`],
  },
}
const bool = (kinds: readonly Kind[]): Kind => kinds.find(({ name }) => name === 'boolean') as Kind
const int = (kinds: readonly Kind[]): Kind => kinds.find(({ name }) => name === 'int') as Kind
const named = (kinds: readonly Kind[], name: string): Kind => kinds.find((kind) => kind.name === name) as Kind

/** Draws a value from an arbitrary. */
export type Draw = <T>(arbitrary: fc.Arbitrary<T>) => T

/** Draws a table with columns of these kinds. */
export function drawDesign(draw: Draw, kinds: readonly Kind[]): Design {
  const one = <T>(...values: readonly T[]): T => draw(fc.constantFrom(...values))
  const names = one<Design['names']>('snake_case', 'same')
  const pool = draw(
    fc.shuffledSubarray<string>(
      [...plainNames, ...(names === 'same' ? hardNames : ['order', 'user', 'select', 'group'])],
      {
        minLength: 9,
      },
    ),
  )
  const form = one<Form>('table', 'table', 'table', 'partitioned', 'view', 'readFrom', 'softDelete')
  const keyForm =
    form === 'view'
      ? one<KeyForm>('sent', 'composite')
      : one<KeyForm>(
          'sent',
          'sent',
          'composite',
          'serial',
          'identity',
          'identity by default',
          'uuid',
          'text',
          'counted',
          'composite identity',
        )
  const key = drawKey(draw, kinds, keyForm, pool.splice(0, 3))
  const reference =
    form !== 'view' && one(false, false, true)
      ? ({ members: [pool.pop() as string, pool.pop() as string], deferred: one(true, false) } as const)
      : undefined
  const count = draw(fc.integer({ min: 0, max: 4 }))
  const members = Array.from({ length: count }, (): MemberDesign => {
    const name = pool.pop() as string
    const filled =
      form === 'view'
        ? one<Filled>('null', 'sent')
        : one<Filled>(
            'null',
            'null',
            'null',
            'sent',
            'sent',
            'default',
            'generated',
            'identity',
            'identity by default',
            'serial',
          )
    if (filled === 'generated') return { name, kind: bool(kinds), filled }
    if (filled === 'default')
      return { name, kind: one(...kinds.filter(({ foreign }) => foreign !== undefined)), filled }
    return { name, kind: ['null', 'sent'].includes(filled) ? one(...kinds) : int(kinds), filled }
  })
  // Outside the key, at most one member is `identity`, and at most one is `identity by default`.
  // Several members may be `serial`.
  const single = members.filter(
    ({ filled }, i) => !filled.startsWith('identity') || i === members.findIndex((other) => other.filled === filled),
  )
  if (reference !== undefined)
    single.push(...reference.members.map((name): MemberDesign => ({ name, kind: bigint, filled: 'null' })))
  if (one(false, false, true)) single.push(owner)
  const unique = single.find(({ kind, filled }) => kind.compares === 'all' && filled === 'null' && kind !== bigint)
  return {
    form,
    version: one<Version>(
      ...(['uuid', 'sequence', ...(form === 'view' ? [] : (['unmoved'] as const))] as const),
      ...(form === 'partitioned' || form === 'view' ? [] : (['xmin', 'xmin', 'expression'] as const)),
    ),
    trigger:
      form === 'view'
        ? 'none'
        : one<Trigger>(
            'none',
            'none',
            'audit',
            'lower case',
            'upper case, after',
            'upper case, deferred',
            'null',
            'raise',
            'raise, deferred',
            'touch',
          ),
    keyForm,
    key,
    members: single,
    unique:
      unique !== undefined && form !== 'partitioned' && form !== 'view' && one(true, false)
        ? { member: unique.name, deferred: one(true, false) }
        : undefined,
    reference,
    names,
    // A view reads with the privileges of its owner, so row-level security would not apply to the
    // caller.
    security:
      form === 'view' || form === 'readFrom'
        ? 'none'
        : one<Security>('none', 'none', 'one policy', 'policy of each command'),
  }
}

function drawKey(draw: Draw, kinds: readonly Kind[], form: KeyForm, names: readonly string[]): readonly MemberDesign[] {
  const keyables = kinds.filter(({ keyable }) => keyable)
  const any = (): Kind => draw(fc.constantFrom(...keyables))
  const [first = '', second = '', third = ''] = names
  switch (form) {
    case 'sent':
      return [{ name: first, kind: any(), filled: 'sent' }]
    case 'composite':
      return [first, second, third]
        .slice(0, draw(fc.integer({ min: 2, max: 3 })))
        .map((name) => ({ name, kind: any(), filled: 'sent' }))
    case 'serial':
      return [{ name: first, kind: int(kinds), filled: 'serial' }]
    case 'identity':
      return [{ name: first, kind: int(kinds), filled: 'identity' }]
    case 'identity by default':
      return [{ name: first, kind: int(kinds), filled: 'identity by default' }]
    case 'uuid':
      return [{ name: first, kind: named(kinds, 'uuid'), filled: 'default' }]
    case 'text':
      return [{ name: first, kind: named(kinds, 'text'), filled: 'default' }]
    case 'counted':
      return [
        { name: first, kind: any(), filled: 'sent' },
        { name: second, kind: int(kinds), filled: 'serial' },
      ]
    case 'composite identity':
      return [
        { name: first, kind: any(), filled: 'sent' },
        { name: second, kind: int(kinds), filled: 'identity' },
      ]
  }
}

/** Whether the member is outside the key, and only the database sets it. */
export const isReadOnly = ({ filled }: MemberDesign, isKey: boolean): boolean =>
  !isKey && (filled === 'generated' || filled === 'identity')

/**
 * Draws the rows that are sent to a table. Each member has only a few values, so that several rows
 * share a value.
 */
export function drawRows(draw: Draw, design: Design): readonly RowDesign[] {
  const all = [...design.key, ...design.members]
  const pools = new Map(
    all.map((member) => {
      const { values, odd } = member.kind
      const good = draw(fc.array(values, { minLength: 3, maxLength: 4 })).map((value) => ({ value, odd: false }))
      const bad = odd === undefined ? [] : draw(fc.array(odd, { maxLength: 2 })).map((value) => ({ value, odd: true }))
      return [member.name, [...good, ...good, ...bad]]
    }),
  )
  const count = draw(fc.integer({ min: 3, max: 7 }))
  return Array.from({ length: count }, () => {
    const values: Record<string, unknown> = {}
    const odd: string[] = []
    for (const member of all) {
      const isKey = design.key.includes(member)
      if (isReadOnly(member, isKey) || member.filled === 'scope') continue
      const optional = member.filled !== 'sent'
      const chance = draw(fc.integer({ min: 0, max: 9 }))
      const leftOut = isKey ? optional && chance > 0 : optional && chance < 2
      if (leftOut) continue
      if (member.filled === 'null' && chance === 2) {
        values[member.name] = null
        continue
      }
      const choice = draw(fc.constantFrom(...(pools.get(member.name) ?? [])))
      Object.defineProperty(values, member.name, {
        value: choice.value,
        enumerable: true,
        configurable: true,
        writable: true,
      })
      if (choice.odd) odd.push(member.name)
    }
    return { values, odd }
  })
}
