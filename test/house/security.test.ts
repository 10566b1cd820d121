import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const text = readFileSync(new URL('docs/tokens.md', root), 'utf8')

describe('docs/tokens.md', () => {
  const rows = [...text.matchAll(/^\| (3\.\d+) [^|]+ \| [^|]+ \| `([^`]+)`: (.+) \|$/gm)].map(
    ([, section, file, title]) => ({
      section,
      file: file as string,
      title: title as string,
    }),
  )

  it('has a row for each of the sections 3.1 to 3.12 of RFC 8725', () => {
    expect(rows.map(({ section }) => section)).toEqual(Array.from({ length: 12 }, (_, index) => `3.${index + 1}`))
  })

  it.each(rows)('RFC 8725 $section: the test in the row exists', ({ file, title }) => {
    expect(existsSync(new URL(file, root)), file).toBe(true)
    // The formatter puts a long title on a line of its own.
    const calls = readFileSync(new URL(file, root), 'utf8').replace(/\(\s+/g, '(')
    expect(calls).toContain(`('${title}'`)
  })
})
