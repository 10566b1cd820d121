/** The Markdown renderer of descriptions. */
import { describe, expect, it } from 'vitest'
import { markdown } from '../../src/docs/markdown.js'
import { ConfigurationError } from '../../src/index.js'

const addressOf = (id: string) => `clauses#${id}`

describe('descriptions', () => {
  it('cannot be rendered without markdown-it, and the error says what to install', () => {
    const failing = (error: Error) => () =>
      markdown(() => {
        throw error
      })
    const missing = Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' })
    expect(failing(missing)).toThrow(ConfigurationError)
    expect(failing(missing)).toThrow(/npm install markdown-it/)
    expect(failing(new Error('broken'))).toThrow('broken')
  })

  it('are rendered with headings as bold text, images as links, and tables without alignment', () => {
    const { block } = markdown()
    expect(block('# One\n\n|a|\n|:-:|\n|b|\n\n![p](https://a.example/p.png)', addressOf).toString()).toBe(
      '<p><strong>One</strong></p>\n<table>\n<thead>\n<tr>\n<th ' +
        'scope="col">a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>b</td>\n</tr>\n</tbody>\n</table>\n<p><a ' +
        'href="https://a.example/p.png">p</a></p>\n',
    )
  })

  it('can be rendered inline, with links to the clauses that they name, except in code and in links', () => {
    expect(markdown().inline('See HDR-3, `HDR-4` and [HDR-2](#x).', addressOf).toString()).toBe(
      'See <a href="clauses#HDR-3">HDR-3</a>, <code>HDR-4</code> and <a href="#x">HDR-2</a>.',
    )
  })
})
