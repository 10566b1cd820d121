/** Writes JUnit XML, from which build servers show the result of each test. */

export interface TestCase {
  readonly name: string
  /** The group in which build servers show the test case. */
  readonly group: string
  readonly failure?: { readonly message: string; readonly text: string }
  /** Why the test case was skipped. */
  readonly skipped?: string
}

/** Writes a document with a test suite for each group of test cases. */
export function junitXml(name: string, cases: readonly TestCase[]): string {
  const groups = [...new Set(cases.map(({ group }) => group))]
  const suites = groups.map((group) => {
    const own = cases.filter((one) => one.group === group)
    const skipped = own.filter((one) => one.skipped !== undefined).length
    return (
      `<testsuite name="${escaped(group)}" tests="${own.length}" failures="${failuresIn(own)}" ` +
      `skipped="${skipped}">${own.map(caseXml).join('')}\n</testsuite>`
    )
  })
  const head = `<testsuites name="${escaped(name)}" tests="${cases.length}" failures="${failuresIn(cases)}">`
  return `<?xml version="1.0" encoding="UTF-8"?>\n${[head, ...suites].join('\n')}\n</testsuites>\n`
}

const failuresIn = (cases: readonly TestCase[]): number => cases.filter(({ failure }) => failure !== undefined).length

function caseXml({ name, group, failure, skipped }: TestCase): string {
  const start = `\n<testcase name="${escaped(name)}" classname="${escaped(group)}"`
  if (failure !== undefined)
    return `${start}><failure message="${escaped(failure.message)}">${escaped(failure.text)}</failure></testcase>`
  return skipped === undefined ? `${start}/>` : `${start}><skipped message="${escaped(skipped)}"/></testcase>`
}

/**
 * Escapes a string for XML. Lone surrogates become U+FFFD. Other characters that XML 1.0 does not
 * allow become spaces.
 */
const escaped = (text: string): string =>
  text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 allows none of them.
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, ' ')
    .replace(/[&<>"\n\r\t]/g, (one) => `&#${one.charCodeAt(0)};`)
