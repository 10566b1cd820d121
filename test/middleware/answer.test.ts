import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HttpProblem } from '../../src/problem.js'
import { formatLink, problemAnswer, send, spelled } from '../../src/representation/answer.js'
import { json } from '../../src/representation/encoding.js'
import { mergeLinks, mergeVary } from '../../src/representation/header-fields.js'
import { paginationHeaders, withoutPages } from '../../src/representation/pagination.js'
import { raw } from './majors.js'

const get = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

describe('send', () => {
  it('HDR-1: keeps Vary and Link of other middleware next to those of the library', async () => {
    const answer = await raw((_req, res) => {
      res.setHeader('Vary', 'Origin')
      res.setHeader('Link', ['<a>; rel="x"', '<b,c>; rel="y"'])
      send(res, { status: 200, headers: { Vary: 'Accept', Link: '<d>; rel="x"' }, body: 'ñ' }, false)
    }, get)
    expect(answer).toContain('Vary: Origin, Accept\r\n')
    expect(answer).toContain('Link: <a>; rel="x", <b,c>; rel="y", <d>; rel="x"\r\n')
    expect(answer).toContain('Content-Length: 2\r\n')
  })

  it('VERB-8: sends a HEAD response without a body, and 204 and 304 without Content-Length', async () => {
    const head = await raw(
      (_req, res) => send(res, { status: 200, headers: {}, body: 'text' }, true),
      get.replace('GET', 'HEAD'),
    )
    expect(head).toMatch(/Content-Length: 4\r\n[\s\S]*\r\n\r\n$/)
    for (const status of [204, 304]) {
      expect(await raw((_req, res) => send(res, { status, headers: {} }, false), get)).not.toContain('Content-Length')
    }
    expect(await raw((_req, res) => send(res, { status: 410, headers: {} }, false), get)).toContain(
      'Content-Length: 0\r\n',
    )
  })

  it('ERR-3: does not send a second response', async () => {
    const answer = await raw((_req, res) => {
      res.end('first')
      send(res, { status: 500, headers: {}, body: 'second' }, false)
    }, get)
    expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*first/)
  })
})

describe('mergeVary, mergeLinks, spelled', () => {
  it.each([
    [undefined, 'Accept', 'Accept'],
    ['', 'Accept', 'Accept'],
    ['Origin', 'Accept', 'Origin, Accept'],
    ['ACCEPT', 'Accept', 'ACCEPT'],
    ['Origin , accept', 'Accept, Authorization', 'Origin , accept, Authorization'],
    ['*', 'Accept', '*'],
    ['Origin, *', 'Accept', 'Origin, *'],
    [['A', 'B'], 'B, C', 'A, B, C'],
  ])('HDR-1: Vary %j with the addition %s becomes %s', (before, added, merged) =>
    expect(mergeVary(before, added)).toBe(merged),
  )

  it('QUERY-7: each link is added once and complete, and is never split at a comma', () => {
    const before = '</a?sort=x,b>; rel="next"'
    const added = '</c?sort=y,b>; rel="next"'
    expect(mergeLinks(before, added)).toBe(`${before}, ${added}`)
    expect(mergeLinks(`${before}, ${added}`, added)).toBe(`${before}, ${added}`)
    expect(mergeLinks(added, `${before}, ${added}`)).toBe(`${before}, ${added}`)
    expect(mergeLinks(undefined, added)).toBe(added)
  })

  it('ERR-3: spelled() gives known field names their canonical spelling, and leaves other names unchanged', () => {
    expect(spelled({ 'RETRY-after': '1', etag: 'x', 'X-Other': 'y' })).toEqual({
      'Retry-After': '1',
      Etag: 'x',
      'X-Other': 'y',
    })
  })
})

describe('formatLink', () => {
  it('QUERY-7, RFC 8288: a URL is encoded, so that it cannot close the angle brackets around it', () => {
    expect(formatLink('http://[::1]/a b?sort=x,-y&z=%41', 'next')).toBe(
      '<http://[::1]/a%20b?sort=x,-y&z=%41>; rel="next"',
    )
    // Node decodes header bytes as Latin-1, so the UTF-8 bytes C3 B1 of an ñ arrive as two
    // characters.
    expect(formatLink('/\xc3\xb1', 'next')).toBe('</%C3%B1>; rel="next"')
    expect(formatLink('/€\u{1f600}\ud800', 'next')).toBe('</%E2%82%AC%F0%9F%98%80%EF%BF%BD>; rel="next"')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (url) => {
        expect(formatLink(url, 'next')).toMatch(/^<[^<>\s"]*>; rel="next"$/)
      }),
    )
  })
})

describe('withoutPages and paginationHeaders', () => {
  it('QUERY-7: withoutPages removes the links of paginationHeaders and no others', () => {
    const query = {
      pairs: [
        ['sort', 'a,b'],
        ['nombre', '>; rel="next"'],
      ] as [string, string][],
      page: 2,
      size: 5,
      first: 1 as const,
    }
    const { Link = '' } = paginationHeaders('http://h/a', query, { total: 50 })
    const other = '<http://h/v8?a=1,2>; rel="successor-version"'
    expect(withoutPages(Link)).toBe('')
    expect(withoutPages(`${other}, ${Link}`)).toBe(other)
    expect(withoutPages(`${Link}, ${other}`)).toBe(other)
    expect(withoutPages(other)).toBe(other)
  })

  it('QUERY-7: without a total, "more" says whether there is a next page', () => {
    const query = { pairs: [['after', 'hint']] as [string, string][], page: 1, size: 5, first: 1 as const }
    expect(paginationHeaders('/a', query, { more: true })).toEqual({
      Link: '</a?offest=1>; rel="first", </a?offest=2>; rel="next"',
    })
    expect(paginationHeaders('/a', query, { more: false })).toEqual({ Link: '</a?offest=1>; rel="first"' })
  })
})

describe('problemAnswer', () => {
  const context = { representation: json, base: undefined, instance: '/a', requestId: undefined }

  it('ERR-3, HDR-6: a problem is never cached, and Accept is added to the fields in its Vary', () => {
    const problem = new HttpProblem('unauthenticated', {
      headers: { vary: 'Authorization', 'cache-control': 'public', 'content-type': 'text/html' },
    })
    expect(problemAnswer(problem, context).headers).toEqual({
      Vary: 'Authorization, Accept',
      'Cache-Control': 'no-store',
      'Content-Type': 'application/problem+json',
    })
  })

  it('VER-2: a 410 has no body', () => {
    expect(problemAnswer(new HttpProblem('gone'), context)).toEqual({
      status: 410,
      headers: { 'Cache-Control': 'no-store' },
    })
  })
})
