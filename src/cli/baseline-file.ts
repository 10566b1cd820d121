/** The baseline file, which `check` and `lint` read and update. */
import {
  type Comparison,
  compareBaseline,
  type EntryState,
  type KnownBreak,
  readBaseline,
  updatedBaseline,
} from '../check/report/baseline.js'
import { baselineMessages } from '../check/report/baseline-messages.js'
import { type Day, dayOf, isDay } from '../check/report/days.js'
import { isConfigurationError } from '../problem.js'
import { valueIn } from './check-sources.js'
import { writeReport } from './report-files.js'
import type { Terminal } from './terminal.js'
import { UsageError } from './usage-error.js'

/** The flags for baselines. `check` and `lint` both have them. */
export const baselineFlags = { baseline: 'text', 'write-baseline': 'text', until: 'text' } as const

export interface BaselineCall {
  /** The file to compare with. */
  readonly baseline: string | undefined
  /** The file to write. It may be the same file as `baseline`. */
  readonly writeBaseline: string | undefined
  /** The last day on which new entries are accepted. */
  readonly until: Day | undefined
}

/**
 * Reads the flags. Throws `UsageError` if `--until` is not a day, or is given without
 * `--write-baseline`.
 */
export function baselineCall(texts: ReadonlyMap<string, string>): BaselineCall {
  const until = texts.get('until')
  const writeBaseline = texts.get('write-baseline')
  if (until !== undefined && writeBaseline === undefined)
    throw new UsageError('--until needs --write-baseline: it is the last day on which the new entries are accepted.')
  if (until !== undefined && !isDay(until))
    throw new UsageError(`--until is "${until}". Give a day of the calendar, such as 2026-12-31.`)
  return { baseline: texts.get('baseline'), writeBaseline, until }
}

/**
 * The entries of the baseline file. Empty if no file is given. Throws `UsageError` if the file
 * can't be read or is not a baseline, or if `until` is in the past.
 */
export function knownBreaks({ baseline, until }: BaselineCall, terminal: Terminal): readonly KnownBreak[] {
  const today = dayOf(terminal.now())
  if (until !== undefined && until < today)
    throw new UsageError(`--until is ${until}, which is in the past: today is ${today} (UTC).`)
  if (baseline === undefined) return []
  try {
    return readBaseline(valueIn(baseline, terminal.cwd))
  } catch (error) {
    if (!isConfigurationError(error)) throw error
    throw new UsageError(
      `${baseline}: ${error.message} A baseline is a list such as [{ "check": "QUERY-7/total", "where": ` +
        '"/orders", "until": "2026-12-31" }].',
    )
  }
}

/**
 * Compares a run with the baseline, prints the differences if there is a baseline, and writes the
 * next baseline if one is requested.
 */
export function comparedWith<Broken extends { readonly check: string; readonly where: string }>(
  call: BaselineCall,
  broken: readonly Broken[],
  known: readonly KnownBreak[],
  stateOf: (entry: KnownBreak) => EntryState,
  terminal: Terminal,
): Comparison<Broken> {
  const { baseline, writeBaseline, until } = call
  const today = dayOf(terminal.now())
  const comparison = compareBaseline(broken, known, today, stateOf)
  if (baseline !== undefined)
    for (const message of baselineMessages(comparison, baseline, today)) terminal.error(`${message}\n`)
  if (writeBaseline !== undefined) {
    const next = updatedBaseline(comparison, known, until)
    writeReport(terminal, writeBaseline, `${JSON.stringify(next, undefined, 2)}\n`)
    terminal.error(`Wrote ${writeBaseline}. Number of known violations: ${next.length}.\n`)
  }
  return comparison
}
