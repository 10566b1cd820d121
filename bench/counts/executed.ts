/**
 * Measures how much of the library's code a request executes. Of the figures that every build of V8
 * supports, this is the closest to a count of instructions.
 */

import type { Profiler } from 'node:inspector'
import { Session } from 'node:inspector'
import type { Counts } from './budgets.js'
import { repeat, type Work } from './repeat.js'

/**
 * Returns the average number of calls and of executed characters for one request. Only scripts
 * whose URL starts with `under` are counted.
 */
export async function executed(work: Work, times: number, under: string): Promise<Pick<Counts, 'calls' | 'code'>> {
  const session = new Session()
  session.connect()
  try {
    post(session, 'Profiler.enable')
    post(session, 'Profiler.startPreciseCoverage', { callCount: true, detailed: true })
    await repeat(work, times)
    const { result } = post(session, 'Profiler.takePreciseCoverage') as Profiler.TakePreciseCoverageReturnType
    post(session, 'Profiler.stopPreciseCoverage')
    const scripts = result
      .filter(({ url }) => url.startsWith(under))
      .map(({ functions }) => functions.map(({ ranges }) => ranges))
    const calls = scripts.flat().reduce((sum, [whole]) => sum + (whole?.count ?? 0), 0)
    const code = scripts.reduce((sum, functions) => sum + lengthRun(functions.flat()), 0)
    return { calls: calls / times, code: code / times }
  } finally {
    session.disconnect()
  }
}

/**
 * Returns the number of executed characters. A character is counted as often as the innermost range
 * around it was executed.
 */
function lengthRun(ranges: readonly Profiler.CoverageRange[]): number {
  let sum = 0
  const around: Profiler.CoverageRange[] = []
  for (const range of [...ranges].sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)) {
    while (around.length > 0 && (around.at(-1) as Profiler.CoverageRange).endOffset <= range.startOffset) around.pop()
    sum += (range.endOffset - range.startOffset) * (range.count - (around.at(-1)?.count ?? 0))
    around.push(range)
  }
  return sum
}

/** Calls a method of the inspector. Its result arrives synchronously. */
function post(session: Session, method: string, parameters: object = {}): unknown {
  let answer: unknown
  session.post(method, parameters, (error, result) => {
    if (error !== null) throw error
    answer = result
  })
  return answer
}
