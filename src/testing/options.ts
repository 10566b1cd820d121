/**
 * Validates the options of `adapterSuite`. Without this validation, the suite could silently leave
 * out checks if a JavaScript caller misspelt a value, such as that of `counts`.
 */
import { definitionKind } from '../definition/resource.js'
import { checkArgument, checkOptions } from '../options/check.js'
import { functionBy, type Kinds, type TextKind } from '../options/kinds.js'
import { longestTimer } from '../timeout.js'
import type { OptionalMethod } from './check.js'
import type { AdapterSuiteOptions, SuiteSubject } from './suite.js'

export const optionalMethods: readonly OptionalMethod[] = ['create', 'replace', 'remove', 'attach', 'detach', 'recall']

const reason: TextKind = { a: 'a reason: a few words on why the adapter does not offer the method', like: /\S/ }

export const withoutKinds: Kinds<Record<OptionalMethod, string>> = {
  create: reason,
  replace: reason,
  remove: reason,
  attach: reason,
  detach: reason,
  recall: reason,
}

export const suiteSubjectKinds: Kinds<SuiteSubject<unknown>> = {
  definition: { required: definitionKind },
  records: { required: { each: 'any', min: 8, a: 'a list of at least 8 records' } },
  change: { required: functionBy('a function (record, n) => record') },
}

export const adapterSuiteKinds: Kinds<AdapterSuiteOptions> = {
  without: { options: withoutKinds },
  counts: { oneOf: ['exact', 'other'] },
  search: 'boolean',
  subject: { options: suiteSubjectKinds },
  timeout: { from: 0, above: true, to: longestTimer, unit: 'milliseconds' },
  seed: { from: Number.NEGATIVE_INFINITY, whole: true },
}

/**
 * Throws `ConfigurationError` if `makeAdapter` is not a function, or if an option is unknown or has
 * an invalid value.
 */
export function checkSuiteOptions(makeAdapter: unknown, given: unknown): void {
  checkArgument(
    'the first argument of adapterSuite()',
    makeAdapter,
    functionBy('a function that makes an adapter for each check'),
  )
  checkOptions('adapterSuite()', given, adapterSuiteKinds)
}
