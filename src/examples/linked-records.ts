/**
 * Generates example records of linked resources. Links, parents and associations refer only to
 * existing records.
 */
import type { ParentKey } from '../adapters/contract.js'
import { isList, isObject, type JsonObject, own, put } from '../definition/json.js'
import type { ResourceDefinition } from '../definition/resource.js'
import type { Validate } from '../plan/validator.js'
import { ConfigurationError } from '../problem.js'
import { Random } from '../random.js'
import { keyText, type MakePart, partMakers } from './keys.js'
import { gapsOf, mostFrequent, RecordMaker, tries } from './record-maker.js'
import { Reference, type Target } from './references.js'
import { Unmade } from './unmade.js'

/** A resource to generate records for. */
export interface Subject {
  readonly definition: ResourceDefinition
  /** The validator of the resource's plan. */
  readonly validate: Validate
  /** The number of records, if `given` is undefined. */
  readonly count: number
  /** Records that the user of the mock provides. Their missing members are generated. */
  readonly given: readonly JsonObject[] | undefined
  /** Members that every record has, for example because of a scope. */
  readonly fixed: JsonObject
  /** The resources that the definition's links, parent and associations refer to, by collection. */
  readonly leadsTo: ReadonlyMap<string, ResourceDefinition>
  /**
   * Describes the service's rule that a record violates; `undefined` if the record violates no
   * rule. The function itself is absent if there are no rules, or if the rules can't be called.
   */
  readonly broken?: (record: JsonObject) => Promise<string | undefined>
}

/**
 * A record and one of its parents, for an association that is not stored in the record's members.
 */
interface Attachment {
  readonly parent: ParentKey
  readonly record: JsonObject
}

/** The generated records of one resource. */
export interface Made {
  readonly records: readonly JsonObject[]
  readonly attachments: readonly Attachment[]
  readonly maker: RecordMaker
}

/** The maximum number of attempts to generate a key. */
const keyTries = 40

interface Building extends Target {
  readonly subject: Subject
  readonly maker: RecordMaker
  readonly keys: JsonObject[]
  readonly references: Reference[]
  /**
   * Keys of records that must exist, because the fixed members of another resource refer to them.
   */
  readonly wanted: JsonObject[]
}

/**
 * Generates the records of all resources. If no valid record is found, throws a
 * `ConfigurationError` (`no-example`) with the cause, such as a member and the keyword that it
 * can't satisfy.
 */
export async function linkedRecords(
  subjects: readonly Subject[],
  seed: number,
): Promise<ReadonlyMap<ResourceDefinition, Made>> {
  const all = new Map<ResourceDefinition, Building>()
  for (const subject of subjects) {
    const { definition, validate } = subject
    const maker = new RecordMaker(definition, validate, seed)
    all.set(definition, { subject, definition, maker, keys: [], references: [], wanted: [] })
  }
  for (const building of all.values()) join(building, all)
  for (const building of keysFirst([...all.values()])) makeKeys(building, seed)
  const made = new Map<ResourceDefinition, Made>()
  for (const building of all.values()) {
    const records = await makeRecords(building, seed)
    made.set(building.definition, { records, attachments: attachmentsOf(building, all, seed), maker: building.maker })
  }
  return made
}

const nameOf = (of: ResourceDefinition | string): string => (typeof of === 'string' ? of : of.collection)

function join(building: Building, all: ReadonlyMap<ResourceDefinition, Building>): void {
  const { definition, subject, references } = building
  const add = (of: ResourceDefinition | string, by: readonly string[], contained = false): void => {
    const target = all.get(subject.leadsTo.get(nameOf(of)) as ResourceDefinition)
    if (target === undefined || target.definition.key.members.length !== by.length) return
    references.push(new Reference(definition, by, target, contained))
    if (target === building || !by.every((member) => Object.hasOwn(subject.fixed, member))) return
    target.wanted.push(
      Object.fromEntries(by.map((member, i) => [target.definition.key.members[i] as string, subject.fixed[member]])),
    )
  }
  if (definition.parent !== undefined) add(definition.parent.of, definition.parent.by, true)
  for (const { of, by } of definition.attachedTo) if (by !== undefined) add(of, by)
  for (const link of definition.links.values()) if (link.kind === 'to') add(link.to, link.by)
}

/** Whether a member that stores the reference is part of the record's own key. */
const isInKey = ({ key }: ResourceDefinition, { by }: Reference): boolean =>
  by.some((member) => key.members.includes(member))

/**
 * Orders the resources. A resource whose key contains the key of another resource comes after that
 * resource.
 */
function keysFirst(all: readonly Building[]): readonly Building[] {
  const ordered = new Set<Building>()
  const visit = (building: Building, above: ReadonlySet<Building>): void => {
    if (ordered.has(building) || above.has(building)) return
    const within = new Set([...above, building])
    for (const reference of building.references)
      if (isInKey(building.definition, reference)) visit(reference.target as Building, within)
    ordered.add(building)
  }
  for (const building of all) visit(building, new Set())
  return [...ordered]
}

function makeKeys(building: Building, seed: number): void {
  const { definition, subject, maker, keys, references, wanted } = building
  const { key, collection } = definition
  const inKey = references.filter((reference) => isInKey(definition, reference) && reference.target !== building)
  const led = new Set(inKey.flatMap(({ by }) => by))
  const parts = partMakers(
    maker,
    key.members.filter((member) => !led.has(member)),
  )
  const seen = new Set<string>()
  const counts = new Map<string, number>()
  const count = subject.given?.length ?? subject.count
  for (let index = 0; index < count; index++) {
    const given = subject.given?.[index] ?? wanted[index]
    const example = exampleOf(definition, index)
    const faults: Unmade[] = []
    for (let attempt = 0; attempt < keyTries && keys.length === index; attempt++) {
      try {
        const row = keyRow(
          { definition, fixed: subject.fixed, given: given ?? (attempt === 0 ? example : {}), inKey, parts },
          Random.of(seed, collection, 'key', index, attempt),
          {
            index,
            attempt,
            counts,
          },
        )
        const text = keyText(definition, row)
        if (typeof text !== 'string') throw text
        if (seen.has(text)) throw new Unmade(key.members.join(', '), 'key', `"${text}" already exists`)
        seen.add(text)
        keys.push(row)
      } catch (error) {
        if (!(error instanceof Unmade)) throw error
        faults.push(error)
      }
    }
    if (keys.length > index) continue
    // There may be fewer keys than requested records, for example because the key is an enum.
    if (index === 0 || subject.given !== undefined) throw noExample(subject, mostFrequent(faults), index)
    return
  }
}

/**
 * The entry for the record in the `examples` of the resource's schema; an empty object if there is
 * none.
 */
function exampleOf({ schema }: ResourceDefinition, index: number): JsonObject {
  const example: unknown = isList(schema.examples) ? schema.examples[index] : undefined
  return isObject(example) ? example : {}
}

interface KeySources {
  readonly definition: ResourceDefinition
  readonly fixed: JsonObject
  readonly given: JsonObject
  readonly inKey: readonly Reference[]
  readonly parts: ReadonlyMap<string, MakePart>
}

interface KeyTry {
  readonly index: number
  readonly attempt: number
  readonly counts: Map<string, number>
}

/** The members of the key of one record. */
function keyRow(
  { definition, fixed, given, inKey, parts }: KeySources,
  random: Random,
  { index, attempt, counts }: KeyTry,
): JsonObject {
  const row: JsonObject = {}
  for (const member of definition.key.members) {
    const known = own(given, member) ?? own(fixed, member)
    if (known !== undefined) put(row, member, known)
  }
  for (const reference of inKey) reference.assign(row, random, 0)
  const group = JSON.stringify(Object.entries(row))
  const before = counts.get(group) ?? 0
  let isCounted = false
  for (const [member, make] of parts) {
    if (Object.hasOwn(row, member)) continue
    const value = make({ index, attempt, before })
    if (value === undefined) throw new Unmade(member, 'key', 'there are no more values for it')
    put(row, member, value)
    isCounted = true
  }
  if (isCounted) counts.set(group, before + 1)
  return row
}

async function makeRecords(building: Building, seed: number): Promise<readonly JsonObject[]> {
  const { subject, maker, keys } = building
  const records: JsonObject[] = []
  for (const [index, row] of keys.entries()) {
    const fixedOf = (attempt: number, gaps: number): JsonObject =>
      fixedMembers(building, { row, index, attempt, gaps }, seed)
    try {
      records.push(
        subject.broken === undefined
          ? maker.make(index, fixedOf)
          : await unbroken(maker, index, fixedOf, subject.broken),
      )
    } catch (error) {
      if (error instanceof Unmade) throw noExample(subject, error, index)
      throw error
    }
  }
  return records
}

/**
 * Returns a record that violates no rule. If no such record is found, throws the `Unmade` error
 * that occurred most often.
 */
async function unbroken(
  maker: RecordMaker,
  index: number,
  fixedOf: (attempt: number, gaps: number) => JsonObject,
  broken: NonNullable<Subject['broken']>,
): Promise<JsonObject> {
  const faults: Unmade[] = []
  for (let attempt = 0; attempt < tries; attempt++) {
    const tried = maker.attempt({ index, attempt, fixed: fixedOf(attempt, gapsOf(index, attempt)) })
    const why = 'record' in tried ? await broken(tried.record) : undefined
    if ('record' in tried && why === undefined) return tried.record
    faults.push('fault' in tried ? tried.fault : new Unmade('', 'rules', why ?? ''))
  }
  throw mostFrequent(faults)
}

interface Place {
  readonly row: JsonObject
  readonly index: number
  readonly attempt: number
  readonly gaps: number
}

/**
 * The members of a record that are not generated from its schema: the given and fixed members, the
 * key, and the members that refer to other records.
 */
function fixedMembers(
  { definition, subject, references }: Building,
  { row, index, attempt, gaps }: Place,
  seed: number,
): JsonObject {
  const fixed: JsonObject = { ...subject.given?.[index], ...subject.fixed, ...row }
  const random = Random.of(seed, definition.collection, 'links', index, attempt)
  for (const reference of references) reference.assign(fixed, random, gaps)
  return fixed
}

/** The parents of the records, for associations that are not stored in the records' members. */
function attachmentsOf(
  { definition, subject, keys }: Building,
  all: ReadonlyMap<ResourceDefinition, Building>,
  seed: number,
): readonly Attachment[] {
  const attachments: Attachment[] = []
  for (const { of, by, as } of definition.attachedTo) {
    const parent = all.get(subject.leadsTo.get(nameOf(of)) as ResourceDefinition)
    if (by !== undefined || parent === undefined || parent.keys.length === 0) continue
    for (const [index, record] of keys.entries()) {
      const random = Random.of(seed, definition.collection, as, index)
      const parents = new Set([
        Math.floor(random.next() ** 2 * parent.keys.length),
        ...(random.chance(0.2) ? [random.below(parent.keys.length)] : []),
      ])
      for (const at of parents) {
        const key = parent.definition.key.of(parent.keys[at])
        if (key !== undefined)
          attachments.push({ parent: { collection: parent.definition.collection, key, as }, record })
      }
    }
  }
  return attachments
}

function noExample({ definition: { collection }, given }: Subject, fault: Unmade, index: number): ConfigurationError {
  const why = fault.message.replace(/\.$/, '')
  if (given !== undefined)
    return new ConfigurationError(
      'no-example',
      `The record at index ${index} of the data for "${collection}" is not valid: ${why}.`,
    )
  const data = `give records of "${collection}" as data (mock --data file.json)`
  const help = fault.path === '' ? `G${data.slice(1)}` : `Give that member "examples" in the schema, or ${data}`
  return new ConfigurationError(
    'no-example',
    `No example of "${collection}" could be generated. Cause: ${why}. ${help}.`,
  )
}
