/**
 * The configuration of the documentation site. The site shows the Markdown files of the repository
 * and the source files of the examples.
 */
import { copyFileSync, readdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { githubSlug, relink, served } from './links.js'
import { sidebar } from './sidebar.js'
import { plainEmptyHeaders } from './tables.js'

const docs = fileURLToPath(new URL('../../docs', import.meta.url))
const description = 'REST conventions for Express services, from one declaration of each resource.'

export default defineConfig({
  title: 'express-rest-conventions',
  description,
  lang: 'en',
  // The first page of the site is the README, so the source folder is the root of the repository.
  srcDir: '..',
  srcExclude: ['{bench,build,dist,src,test}/**', '**/node_modules/**'],
  outDir: '../build/site',
  cacheDir: '../build/site-cache',
  // Relative addresses, so that the site works in any folder of any server.
  base: './',
  rewrites: { 'README.md': 'index.md', 'examples/:name/README.md': 'examples/:name/index.md' },
  markdown: {
    anchor: { slugify: githubSlug },
    config: (md) => {
      relink(md)
      plainEmptyHeaders(md)
    },
    // Turns off Markdown extensions of VitePress, because other viewers of the same files lack
    // them.
    attrs: false,
    emoji: false,
  },
  buildEnd({ outDir }) {
    for (const name of readdirSync(docs).filter((name) => served.includes(extname(name))))
      copyFileSync(join(docs, name), join(outDir, 'docs', name))
  },
  themeConfig: {
    nav: [
      { text: 'Tutorial', link: '/docs/tutorial' },
      { text: 'All pages', link: '/docs/' },
      { text: 'Errors', link: '/docs/errors' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar: sidebar(),
    sidebarMenuLabel: 'All pages',
    outline: [2, 3],
    search: { provider: 'local', options: { detailedView: true } },
  },
})
