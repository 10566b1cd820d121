/**
 * Turns empty header cells of tables into ordinary cells. Screen readers would announce empty
 * header cells as headers.
 */
import type { MarkdownRenderer } from 'vitepress'

export function plainEmptyHeaders(md: MarkdownRenderer): void {
  md.core.ruler.push('empty_headers', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      const [content, end] = tokens.slice(index + 1, index + 3)
      if (token.type !== 'th_open' || content?.content !== '' || end === undefined) continue
      token.tag = 'td'
      end.tag = 'td'
    }
  })
}
