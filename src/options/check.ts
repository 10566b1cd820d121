/**
 * Validates the options that JavaScript callers pass. An option may be misspelled or missing, or
 * have a value of the wrong kind.
 */
import { ConfigurationError } from '../configuration-error.js'
import { isContainer, isList, isObject } from '../definition/json.js'
import { didYouMean, nearMiss } from '../near-miss.js'
import { isPromise } from '../promise.js'
import { missingCall, notCalled } from './factories.js'
import type { Kind, Kinds, KindTable, NestedKind, NumberKind, Word } from './kinds.js'
import { spell, spellKind } from './spelling.js'

/** The error for an invalid option. `message` says how to fix the option. */
export const invalidOption = (message: string): ConfigurationError => new ConfigurationError('invalid-option', message)

/**
 * Validates the options `given`. `what` names the owner of the options in messages, such as `api()`
 * or `the mount of "orders"`. A function whose options may be omitted passes `{}` if there are
 * none. Throws `ConfigurationError` for an unknown name, a missing option, or a value of the wrong
 * kind. The message about an unknown name suggests the closest name, lists all names, or says where
 * the option belongs. The message about a value contains the path of the option, a description of
 * the value, and the allowed values.
 */
export function checkOptions<Options = Readonly<Record<string, unknown>>>(
  what: string,
  given: unknown,
  kinds: Kinds<NoInfer<Options>>,
): Options {
  if (!isTable(given)) {
    const is = given === undefined ? 'missing' : spell(given, 'table')
    throw invalidOption(
      `${factory.test(what) ? `The options of ${what} are` : `${capital(what)} is`} ${is}. Give an object.`,
    )
  }
  const fault = faultIn('', given, kinds)
  if (fault !== undefined) throw invalidOption(messageOf(what, fault))
  return given as Options
}

/**
 * Validates a required argument that is not an object of options. Throws `ConfigurationError` if
 * the argument is missing or of the wrong kind. `what` is the name of the argument in messages.
 */
export function checkArgument(what: string, given: unknown, kind: Kind): void {
  const fault = faultOf('', given, { required: kind })
  if (fault === undefined) return
  throw invalidOption(
    `${capital(what)} ${'is' in fault && fault.path === '' ? `${fault.is}.` : `has a fault: ${partOf(fault)}`} ` +
      `${fault.fix}`,
  )
}

/** Matches a value of `what` that names a function, such as `api()` or `new Client()`. */
const factory = /^(?:new )?\w+\(.*\)$/

type Fault =
  /** A value of the wrong kind, or a missing option. */
  | { readonly path: string; readonly is: string; readonly fix: string }
  /** An unknown name. */
  | { readonly path: string; readonly unknown: string; readonly fix: string }

function messageOf(what: string, fault: Fault): string {
  const place = fault.path === '' ? capital(what) : `The option "${fault.path}" of ${what}`
  return `${place} ${'is' in fault ? `${fault.is}.` : `has no option "${fault.unknown}".`} ${fault.fix}`
}

const partOf = (fault: Fault): string =>
  'is' in fault
    ? `"${fault.path}" ${fault.is}.`
    : `${fault.path === '' ? 'it' : `"${fault.path}"`} has no "${fault.unknown}".`

const capital = (text: string): string =>
  /^(?:the|each|an?) /.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text

/**
 * The first fault in an object of options: an unknown name, a value of the wrong kind, or a missing
 * option.
 */
function faultIn(
  path: string,
  given: Readonly<Record<string, unknown>>,
  kinds: KindTable,
  open: NestedKind['open'] = undefined,
): Fault | undefined {
  for (const name of Object.keys(given)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (kind === undefined && (open === true || (open === 'x-' && name.startsWith(open)))) continue
    if (kind === undefined) return { path, unknown: name, fix: fixForUnknown(name, kinds) }
    if (typeof kind === 'object' && 'instead' in kind) return { path, unknown: name, fix: kind.instead }
  }
  for (const name of Object.keys(kinds)) {
    const fault = faultOf(
      path === '' ? name : `${path}.${name}`,
      given[name],
      kinds[name] as Kind,
      Object.hasOwn(given, name),
    )
    if (fault !== undefined) return fault
  }
  return undefined
}

function fixForUnknown(name: string, kinds: KindTable): string {
  const known = Object.keys(kinds).filter(
    (one) => !(typeof kinds[one] === 'object' && 'instead' in (kinds[one] as object)),
  )
  return didYouMean(nearMiss(name, known), known, 'The options are')
}

/**
 * Returns the fault of a value, if it has one. A value that is `undefined` counts as absent.
 * `isPresent` says whether the options object has the property, even if its value is `undefined`.
 */
function faultOf(path: string, value: unknown, kind: Kind, isPresent = value !== undefined): Fault | undefined {
  if (typeof kind === 'object' && 'required' in kind) {
    if (value === undefined) return { path, is: 'is missing', fix: `Give ${spellKind(kind.required)}.` }
    return faultOf(path, value, kind.required)
  }
  if (typeof kind === 'object' && 'present' in kind) {
    if (value !== undefined) return faultOf(path, value, kind.present)
    if (!isPresent) return undefined
    return {
      path,
      is: 'is undefined, which would silently disable a check',
      fix: 'Give a value, or omit the option.',
    }
  }
  return value === undefined ? undefined : faultOfValue(path, value, kind)
}

function faultOfValue(path: string, value: unknown, kind: Kind): Fault | undefined {
  const call = missingCall(value)
  if (call !== undefined) return { path, is: notCalled(call), fix: `Call it: ${call}.` }
  if (isList(kind)) {
    const faults = (kind as readonly Kind[]).map((one) => faultOfValue(path, value, one))
    if (faults.includes(undefined)) return undefined
    // If the value is of one of the kinds, but one of its members is faulty, a message about this
    // member is more useful than a list of all kinds.
    return faults.find((fault) => fault?.path !== path || 'unknown' in fault) ?? wrong(path, value, kind)
  }
  if (!hasForm(value, kind as Exclude<Kind, readonly Kind[]>)) return wrong(path, value, kind)
  if (typeof kind === 'string') return undefined
  if ('options' in kind) return faultIn(path, value as Readonly<Record<string, unknown>>, kind.options, kind.open)
  if ('values' in kind) {
    for (const [name, one] of Object.entries(value as object)) {
      const fault = one === undefined ? undefined : faultOfValue(`${path}.${name}`, one, kind.values)
      if (fault !== undefined) return fault
    }
  }
  if ('each' in kind) {
    for (const [at, one] of [...(value as readonly unknown[]).entries()]) {
      const fault =
        one === undefined ? wrong(`${path}[${at}]`, one, kind.each) : faultOfValue(`${path}[${at}]`, one, kind.each)
      if (fault !== undefined) return fault
    }
  }
  return undefined
}

const wrong = (path: string, value: unknown, kind: Kind): Fault => ({
  path,
  is: `is ${spell(value, kind)}`,
  fix: `Give ${spellKind(kind)}.`,
})

/** Whether a value is of a kind. The members or elements of the value are not checked. */
function hasForm(value: unknown, kind: Exclude<Kind, readonly Kind[]>): boolean {
  if (typeof kind === 'string') return isOf[kind](value)
  if ('oneOf' in kind) return kind.oneOf.includes(value)
  if ('from' in kind) return isWithin(value, kind)
  if ('like' in kind) return typeof value === 'string' && kind.like.test(value)
  if ('each' in kind) return isList(value) && value.length >= (kind.min ?? 0)
  if ('is' in kind) return kind.is(value)
  return isTable(value)
}

function isWithin(value: unknown, { from, to = Number.POSITIVE_INFINITY, whole, above }: NumberKind): boolean {
  const number = value as number
  if (!isOf.number(value) || number < from || number > to || (above === true && number === from)) return false
  return whole !== true || Number.isSafeInteger(value)
}

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> => isObject(value) && !isPromise(value)

const isName = (value: unknown): boolean => typeof value === 'string' && value !== ''

const isOf: Readonly<Record<Word, (value: unknown) => boolean>> = {
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && !Number.isNaN(value),
  function: (value) => typeof value === 'function',
  table: isTable,
  list: isList,
  iterable: (value) => isContainer(value) && Symbol.iterator in value,
  names: (value) =>
    isName(value) || (isList(value) && value.length > 0 && value.every(isName) && new Set(value).size === value.length),
  any: () => true,
}
