/**
 * Adjusts the links of the Markdown files, so that they work on the site as they do in the
 * repository.
 */
import { existsSync } from 'node:fs'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MarkdownEnv, MarkdownRenderer } from 'vitepress'
import { sourcePage } from './sources.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Extensions of the files in `docs` that are not pages. The site serves these files unchanged. */
export const served: readonly string[] = ['.json', '.yaml']

/** The anchor that GitHub gives a heading. */
export const githubSlug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

/** The address of a file on the site, or `undefined` if the site does not have the file. */
function addressOf(path: string): string | undefined {
  // A folder with a README is shown as the page of its README.
  const file = existsSync(join(root, path, 'README.md')) ? join(path, 'README.md') : path
  if (file.endsWith('.md')) return `/${file.replace(/README\.md$/, 'index.md')}`
  if (served.includes(extname(file)) && dirname(file) === 'docs') return `/${file}`
  const page = sourcePage(file)
  return page === undefined ? undefined : `/site/${page}.md`
}

/**
 * Replaces VitePress's renderer of links. A link to a file that the site has gets the address of
 * the file on the site, and keeps its anchor. A link to any other file of the repository becomes
 * plain text, with the path of the file as its tooltip.
 */
export function relink(md: MarkdownRenderer): void {
  const { rules } = md.renderer
  const write = rules.link_open
  if (write === undefined) throw new Error('VitePress has no rule for links.')
  rules.link_open = (tokens, index, options, env: MarkdownEnv, self) => {
    const token = tokens[index]
    const href = token?.attrGet('href') ?? ''
    if (token === undefined || token.attrGet('class') === 'header-anchor' || /^[a-z]+:/.test(href))
      return write(tokens, index, options, env, self)
    const [path = '', anchor] = href.split('#')
    if (path === '') return self.renderToken(tokens, index, options)
    const file = relative(root, resolve(dirname(env.realPath ?? env.path), path))
    const address = addressOf(file)
    if (address === undefined) {
      const end = tokens.slice(index).find(({ type }) => type === 'link_close')
      if (end !== undefined) end.tag = 'span'
      token.tag = 'span'
      token.attrs = [['title', `In the repository: ${file}`]]
      return self.renderToken(tokens, index, options)
    }
    token.attrSet('href', address)
    const written = write(tokens, index, options, env, self)
    return anchor === undefined ? written : written.replace(/href="[^"]*/, (start) => `${start}#${anchor}`)
  }
}
