/** The memory adapter: everything in one process, every operation whole. */

import { randomBytes } from 'node:crypto'
import { compileCanonical, compileRespelled } from '../../definition/conversion.js'
import { declareCareful } from '../../definition/fixed.js'
import { own, put } from '../../definition/json.js'
import type { KeyValue } from '../../definition/key.js'
import { checkDefinition, type ResourceDefinition } from '../../definition/resource.js'
import { checkOptions, invalidOption } from '../../options/check.js'
import { leavesScope } from '../association.js'
import { type AdapterCall, isRefused, type Refused, type Repeated, type Scalar, type Stored } from '../contract.js'
import { blameHook, called, madeBy, refusePromise } from '../made-by.js'
import { Associations } from './associations.js'
import { type Draft, draftOf, type Entry, entryOf, identities, type Row } from './entry.js'
import { FullText } from './full-text.js'
import { Indexes } from './indexes.js'
import { KeptRecords } from './kept-records.js'
import { KeyAssignment } from './key-assignment.js'
import { listPage } from './list.js'
import { misfits } from './misfits.js'
import { type MemoryAdapter, type MemoryAdapterOptions, memoryAdapterKinds } from './options.js'
import { isNothing } from './order.js'
import type { ExactPage } from './slice.js'
import { spellingsOf } from './spellings.js'
import { UniqueGroups } from './unique.js'

/**
 * Keeps the records of a resource in the process: indexed by key, by what its filters compare and by the orders that are asked for.
 * Records are JSON values; what it hands out is frozen. Every method runs whole before the next one starts, so compare-and-set is
 * atomic (HDR-3), and a version is never used twice, not even by the next process (HDR-2).
 *
 * Throws `ConfigurationError` where `records` or `unique` do not fit the definition, and for an option that there is not.
 *
 * @example
 * const adapter = memoryAdapter(sucursales, { records: [{ nomenclatura: 'MAD', descripcion: 'Madrid' }] })
 */
export function memoryAdapter<T, K>(
  definition: ResourceDefinition<T, K>,
  options: MemoryAdapterOptions<NoInfer<T>> = {},
): MemoryAdapter<T, K> {
  checkDefinition('memoryAdapter()', definition)
  checkOptions('memoryAdapter()', options, memoryAdapterKinds)
  const { key, shape } = definition
  const onCreate = options.onCreate as ((value: Row, call: AdapterCall) => Row) | undefined
  const onUpdate = options.onUpdate as ((value: Row, current: Row, call: AdapterCall) => Row) | undefined
  /** What comes from the team is written as what comes through the library: keys, filters and orders compare texts (REP-4). */
  const canonical = compileCanonical(shape) as (row: unknown) => Row
  /**
   * The same of what comes through the library: canonical already, but for a caller of its own. What
   * is not written anew stays the very value, which an entry shares with the one before.
   */
  const spelled = compileRespelled(shape) as (row: unknown) => Row
  const identityOf = identities(definition)
  const indexes = new Indexes()
  const { all } = indexes
  const associations = new Associations(definition)
  const unique = new UniqueGroups(definition, options.unique ?? [])
  const assignment = new KeyAssignment(definition)
  const nextVersion = versions()
  const kept = options.idempotency === undefined ? undefined : new KeptRecords(options.idempotency === true ? {} : options.idempotency)
  let fullText: FullText | undefined
  const stats = { examined: 0 }
  const tables = {
    key,
    identityOf,
    indexes,
    associations,
    spellings: spellingsOf(definition),
    indexed: indexedMembers(definition),
    stats,
    fullText: () => {
      fullText ??= new FullText(definition, all.entries)
      return fullText
    },
  }

  /** Records whose removal is under way: to what is removed with them they are gone. */
  const going = new Set<Entry>()

  /** The one place where the store changes. */
  function swap(old: Entry | undefined, next: Entry | undefined): void {
    indexes.swap(old, next)
    unique.swap(old, next)
    fullText?.swap(old, next)
    if (old !== undefined) associations.swap(old, next)
    else if (next !== undefined) assignment.saw(next.stored.value)
  }

  /** The record of a key, where the scope lets the caller see it. */
  function visible(of: K, { scope }: AdapterCall): Entry | undefined {
    const entry = all.get(identityOf(of as KeyValue))
    return entry !== undefined && !going.has(entry) && isWithin(entry.stored.value, scope) ? entry : undefined
  }

  function insert(row: Draft): Entry | Refused {
    const found = key.of(row)
    if (found === undefined) return { refused: 'rule', members: key.members }
    const id = identityOf(found)
    const taken = all.get(id) === undefined ? none : key.members
    const members = taken.length === 0 ? unique.clashes(row, id) : [...taken, ...unique.clashes(row, id)]
    if (members.length > 0) return { refused: 'duplicate', members: [...new Set(members)] }
    const entry = entryOf(id, row, nextVersion())
    swap(undefined, entry)
    return entry
  }

  /** The record that a function of the team makes of a draft. Throws where it has no place in the store. */
  function madeIn(name: 'onCreate' | 'onUpdate', draft: Draft, hook: (draft: Row) => Row): Row {
    const given = { ...draft }
    const title = `${name} of "${definition.collection}"`
    const made = canonical(
      madeBy(
        name,
        definition.collection,
        called(title, () => hook(draft)),
      ),
    )
    const members = misfits(definition, made, name === 'onCreate')
    for (const { member, why } of members) blameHook(title, [member], { given, made, why: `the schema does not have: ${why}` })
    return made
  }

  /** A copy of the outermost level with the key and the scope that the record has. */
  function redraft(row: Row, current: Row, { scope }: AdapterCall): Draft {
    const draft = draftOf(row)
    for (const member of key.members) put(draft, member, current[member])
    return fixIn(draft, scope)
  }

  /** Stores a changed record; its key and scope stay what they are. */
  function update(old: Entry, row: Row, call: AdapterCall): Entry | Refused {
    const current = old.stored.value
    const draft = redraft(row, current, call)
    const next =
      onUpdate === undefined
        ? draft
        : redraft(
            madeIn('onUpdate', draft, (row) => onUpdate(row, current, call)),
            current,
            call,
          )
    if (!all.has(old)) throw new Error('onUpdate wrote the very record that is being updated.')
    const members = unique.clashes(next, old.id)
    if (members.length > 0) return { refused: 'duplicate', members: [...new Set(members)] }
    const entry = entryOf(old.id, next, nextVersion(), old.stored)
    swap(old, entry)
    return entry
  }

  function create(value: T, call: AdapterCall): { readonly created: Stored<T> } | Refused {
    const parent = call.attachTo && associations.parent(call.attachTo)
    const leaving = parent === undefined ? [] : leavesScope(parent, call)
    if (leaving.length > 0) return { refused: 'rule', members: leaving }
    const fixed = parent?.by === undefined ? call.scope : { ...Object.fromEntries(parent.by), ...call.scope }
    const draft = fixIn(draftOf(spelled(value)), fixed)
    const exhausted = assignment.assign(draft)
    if (exhausted !== undefined) return { refused: 'rule', members: [exhausted] }
    const entry = insert(onCreate === undefined ? draft : fixIn(draftOf(madeIn('onCreate', draft, (row) => onCreate(row, call))), fixed))
    if ('refused' in entry) return entry
    if (parent !== undefined && parent.by === undefined) associations.attach(parent, entry)
    return { created: entry.stored as Stored<T> }
  }

  /** What the team has to say of a removal. */
  function heardOfRemoval(entry: Entry, call: AdapterCall): Refused | undefined {
    if (options.onRemove === undefined) return undefined
    going.add(entry)
    try {
      const { onRemove } = options
      const name = `onRemove of "${definition.collection}"`
      const answer: unknown = called(name, () => onRemove(entry.stored.value as T, call))
      refusePromise(name, answer)
      return isRefused(answer) ? answer : undefined
    } finally {
      going.delete(entry)
    }
  }

  for (const record of options.records ?? []) {
    const row = draftOf(canonical(record))
    assignment.assign(row)
    const stored = insert(row)
    if ('refused' in stored) {
      const why = stored.refused === 'duplicate' ? 'has the same value as another' : 'has no value of its type'
      throw invalidOption(`A record given to the memory adapter of "${definition.collection}" ${why} in: ${stored.members.join(', ')}.`)
    }
  }
  assignment.opened()

  const adapter: MemoryAdapter<T, K> = {
    stats,
    ready() {
      // The index of texts takes a moment to make: before the first request, not while others wait behind it.
      if (definition.search !== undefined) tables.fullText()
    },
    list: (request, call) => listPage(tables, request, call.scope) as ExactPage<T>,
    read: (keys, call) => keys.map((one) => visible(one, call)?.stored as Stored<T> | undefined),

    ...(kept === undefined ? {} : { recall: (call: AdapterCall) => kept.found(call) as Stored<T> | Repeated | undefined }),
    // A word for a repeat comes only where the call has a key, which the overloads tell apart.
    create: ((value: T, call: AdapterCall): { readonly created: Stored<T> } | Refused | Repeated => {
      const known = kept?.found(call)
      if (known !== undefined) return typeof known === 'string' ? known : { created: known as Stored<T> }
      const made = create(value, call)
      if ('created' in made) kept?.keep(call, made.created)
      return made
    }) as MemoryAdapter<T, K>['create'],

    replace(of, value, expected, call) {
      const old = visible(of, call)
      if (old === undefined) return 'absent'
      if (isStale(old, expected)) return 'stale'
      const next = update(old, spelled(value), call)
      return 'refused' in next ? next : (next.stored as Stored<T>)
    },

    remove(of, expected, call) {
      const old = visible(of, call)
      if (old === undefined) return 'absent'
      if (isStale(old, expected)) return 'stale'
      const refused = heardOfRemoval(old, call)
      if (refused !== undefined) return refused
      swap(old, undefined)
      return 'removed'
    },

    attach(to, of, expected, call) {
      const parent = associations.parent(to)
      const old = visible(of, call)
      if (old === undefined) return 'absent'
      if (isStale(old, expected)) return 'stale'
      if (associations.has(parent, old)) return 'attached'
      const leaving = leavesScope(parent, call)
      if (leaving.length > 0) return { refused: 'rule', members: leaving }
      if (parent.by === undefined) {
        associations.attach(parent, old)
        return 'attached'
      }
      const next = update(old, { ...old.stored.value, ...Object.fromEntries(parent.by) }, call)
      return 'refused' in next ? next : 'attached'
    },

    detach(from, of, expected, call) {
      const parent = associations.parent(from)
      const old = visible(of, call)
      if (old === undefined || !associations.has(parent, old)) return 'absent'
      // What the scope fixes can't be taken out: it would leave the scope.
      if (parent.by?.some(([member]) => Object.hasOwn(call.scope, member))) return 'absent'
      if (isStale(old, expected)) return 'stale'
      if (parent.by === undefined) {
        associations.detach(parent, old)
        return 'detached'
      }
      const row: Record<string, unknown> = { ...old.stored.value }
      for (const [member] of parent.by) {
        if (shape.members.get(member)?.nullable) put(row, member, null)
        else delete row[member]
      }
      const next = update(old, row, call)
      return 'refused' in next ? next : 'detached'
    },
  }
  // `onUpdate` gets values that it may change.
  if (onUpdate === undefined) declareCareful(adapter.replace)
  return adapter
}

/** The members that lists compare for equality: declared filters, what holds a parent's key, the parts of a composite key. */
function indexedMembers({ filters, parent, attachedTo, key }: ResourceDefinition): ReadonlySet<string> {
  return new Set([
    ...[...filters.values()].filter(({ op }) => op === 'eq').map(({ field }) => field),
    ...(parent?.by ?? []),
    ...attachedTo.flatMap(({ by }) => by ?? []),
    ...(key.composite ? key.members : []),
  ])
}

const none: readonly string[] = Object.freeze([])

/** The draft with these members set. A create by hand, as in a team's own tests, may come without a scope. */
function fixIn(draft: Draft, fixed: Row | undefined): Draft {
  if (fixed !== undefined) for (const member of Object.keys(fixed)) put(draft, member, fixed[member])
  return draft
}

/** Null and absent lie outside every scope, also of one that says so itself. */
function isWithin(row: Row, scope: Readonly<Record<string, Scalar>>): boolean {
  for (const member of Object.keys(scope)) if (isNothing(scope[member]) || own(row, member) !== scope[member]) return false
  return true
}

const isStale = (entry: Entry, expected: string | undefined): boolean => expected !== undefined && expected !== entry.stored.version

/** Versions that no other adapter gives and this one gives once: the epoch is random, the count goes on over all keys. */
function versions(): () => string {
  const epoch = randomBytes(6).toString('base64url')
  let count = 0
  return () => `${epoch}${(++count).toString(36)}`
}
