/** The Markdown report stays below the size limit of GitHub and says what was left out. */
import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { Answer, nobody } from '../../src/check/client/exchange.js'
import { markdownOf } from '../../src/check/report/markdown.js'
import { codeBlock, codeSpan } from '../../src/check/report/markdown-text.js'
import { reportOf } from '../../src/check/report/report.js'
import { breaks, type Result } from '../../src/check/verdict.js'

const broken = (at: number, text: string): Result => ({
  check: 'QUERY-7/total',
  clause: 'QUERY-7',
  where: `/orders-${at}`,
  rule: 'A rule.',
  why: 'A reason.',
  fix: 'A fix.',
  outcome: breaks(text, text, {
    request: { method: 'GET', url: `http://127.0.0.1/${at}`, headers: {}, caller: nobody },
    answer: new Answer(200, new Map(), text),
  }),
})

const markdownWith = (count: number, text: string): string =>
  markdownOf({
    report: reportOf(
      'http://127.0.0.1',
      1,
      Array.from({ length: count }, (_, at) => broken(at, text)),
      [],
    ),
    principals: [],
    started: new Date(0),
    ended: new Date(0),
    exitCode: 1,
    placeOf: () => ({ uri: 'openapi.json' }),
  })

describe('the Markdown report', () => {
  it.each([
    [60, 'long '.repeat(400), /The details of \d+ violations are left out/],
    [2_000, 'short', /\d+ more violations, and all details, are left out/],
  ])('with %i violations is shortened, and says what was left out', (count, text, note) => {
    const markdown = markdownWith(count, text)
    expect(markdown.length).toBeLessThanOrEqual(65_000)
    expect(markdown).toMatch(note)
    expect(markdown.match(/<details>/g)?.length).toBe(markdown.match(/<\/details>/g)?.length)
  })

  it('is not shortened if it is within the size limit', () => {
    expect(markdownWith(3, 'short')).not.toContain('left out')
  })
})

describe('a value formatted as Markdown code', () => {
  const html = new MarkdownIt({ html: true, linkify: true })

  it('is rendered only as code, or as "(empty)"', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        expect(html.renderInline(codeSpan(value))).toMatch(/^(?:<code>[^<]*<\/code>|\(empty\))$/)
        expect(html.render(codeBlock(value))).toMatch(/^<pre><code[^>]*>[^<]*<\/code><\/pre>\n$/)
      }),
    )
  })

  it.each(['`', '``a`', ' `', '```\n</details>'])('is rendered as code even if it contains backquotes: %j', (value) => {
    expect(html.renderInline(codeSpan(value))).toMatch(/^<code>[^<]*<\/code>$/)
  })
})
