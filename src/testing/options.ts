/** The options of `adapterSuite`, as JavaScript callers may write them: misspelt, a check would be left out without a word. */
import { isList } from '../definition/json.js'
import { invalidOption, knownOptions } from '../definition/known-options.js'
import type { OptionalMethod } from './check.js'
import { show } from './contract-error.js'
import type { AdapterSuiteOptions, SuiteSubject } from './suite.js'

export const optionalMethods: readonly OptionalMethod[] = ['create', 'replace', 'remove', 'attach', 'detach', 'recall']

const known: Readonly<Record<keyof AdapterSuiteOptions, true>> = {
  without: true,
  counts: true,
  search: true,
  subject: true,
  patience: true,
  seed: true,
}
const knownMethods: Readonly<Record<OptionalMethod, true>> = {
  create: true,
  replace: true,
  remove: true,
  attach: true,
  detach: true,
  recall: true,
}
const knownInSubject: Readonly<Record<keyof SuiteSubject<unknown>, true>> = { definition: true, records: true, change: true }

/** Throws `ConfigurationError` where an option is unknown or has a value that means nothing. */
export function checkOptions(makeAdapter: unknown, given: unknown): void {
  if (typeof makeAdapter !== 'function') {
    throw invalidOption(`adapterSuite() needs a function that makes an adapter for each check, not ${show(makeAdapter)}.`)
  }
  const { without, counts, search, patience, seed, subject } = knownOptions('adapterSuite()', given, known)
  for (const [method, reason] of Object.entries(knownOptions('without of adapterSuite()', without, knownMethods))) {
    if (reason === undefined || (typeof reason === 'string' && reason.trim() !== '')) continue
    throw invalidOption(`without.${method} of adapterSuite() has no reason. Say in a few words why the adapter does not offer ${method}().`)
  }
  if (counts !== undefined && counts !== 'exact' && counts !== 'other') {
    throw invalidOption(`counts of adapterSuite() must be 'exact' or 'other', not ${show(counts)}.`)
  }
  if (search !== undefined && typeof search !== 'boolean') {
    throw invalidOption(`search of adapterSuite() must be true or false, not ${show(search)}.`)
  }
  if (patience !== undefined && !(typeof patience === 'number' && patience > 0 && patience < 2 ** 31)) {
    throw invalidOption(`patience of adapterSuite() must be a number of milliseconds above 0, not ${show(patience)}.`)
  }
  if (seed !== undefined && !Number.isSafeInteger(seed)) {
    throw invalidOption(`seed of adapterSuite() must be a whole number, not ${show(seed)}.`)
  }
  if (subject !== undefined) checkSubject(subject)
}

function checkSubject(given: unknown): void {
  const { definition, records, change } = knownOptions('subject of adapterSuite()', given, knownInSubject)
  if (typeof definition !== 'object' || definition === null) {
    throw invalidOption(`definition of the subject of adapterSuite() must be what defineResource() gave, not ${show(definition)}.`)
  }
  if (typeof change !== 'function') {
    throw invalidOption(`change of the subject of adapterSuite() must be a function (record, n) => record, not ${show(change)}.`)
  }
  const count = isList(records) ? records.length : undefined
  if (count === undefined || count < 8) {
    throw invalidOption(`The subject of adapterSuite() has ${count ?? 'no list of'} records. Give at least 8.`)
  }
}
