/** The checks of pages find what is wrong: each is shown a page that breaks it, beside one that breaks nothing. */
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
  `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A page</title><meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/base.css">${head}</head><body>${body}</body></html>`

/** Large enough for a finger (WCAG 2.5.8). */
const base = { '/base.css': 'a, button, summary { display: inline-block; padding: 6px; }' }

/** A site of one page, with files beside it. */
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

/** What a check finds on a page. */
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
  it('finds nothing wrong with a sound page', async () => {
    expect(await faultsOf(await site(sound), {})).toEqual([])
  })

  it.each([
    ['an error on the console', 'console.error("broken")', /^Console: broken$/],
    ['a warning on the console', 'console.warn("odd")', /^Console: odd$/],
    ['an error that is thrown', 'setTimeout(() => { throw new Error("thrown") })', /^Script: thrown$/],
    ['a promise that is rejected', 'Promise.reject(new Error("rejected"))', /^Script: rejected$/],
    ['a dialog', 'alert("hello")', /^Dialog: hello$/],
    ['a request that is answered 404', 'fetch("/gone").then((answer) => answer.text())', /^Status 404: GET .*\/gone$/],
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

  it('finds what the policy of the page blocks: styles and scripts inside it, images and frames of others', async () => {
    const faults = await faultsOf(
      await site(`${sound}<p style="color: red">Red</p><script>1</script><img alt="" src="https://example.com/a.png">`),
      {},
    )
    for (const directive of ['style-src-attr', 'script-src-elem', 'img-src']) {
      expect(faults).toContainEqual(expect.stringContaining(`Policy: ${directive} `))
    }
  })

  it('finds it without JavaScript, too', async () => {
    const faults = await faultsOf(await site(`${sound}<p style="color: red">Red</p>`), { script: false })
    expect(faults).toContainEqual(expect.stringMatching(/^Console: .*style-src/))
  })

  it('finds a link to another host that was followed, and reaches no host but its own', async () => {
    const address = await site(`${sound}<a href="https://example.com/">Away</a>`)
    const faults = await faultsOf(address, {}, async ({ page }) => {
      await Promise.all([page.waitForEvent('requestfailed'), page.getByText('Away').click()])
    })
    expect(faults).toContain('Another host: https://example.com/')
    expect(faults).toContain('Failed: GET https://example.com/: net::ERR_NAME_NOT_RESOLVED')
  })

  it('takes a status that the test asks for, and no other', async () => {
    const files = { '/own.js': 'fetch("/gone").then((answer) => answer.text())' }
    expect(await faultsOf(await site(sound, { ...script, files }), { statuses: [404] })).toEqual([])
    expect(await faultsOf(await site(sound, { ...script, files }), { statuses: [412] })).not.toEqual([])
  })
})

describe('a check of a page', () => {
  it('by axe finds what is no accessible page, in each scheme', async () => {
    expect(await found(axeFaults, sound)).toEqual([])
    expect((await found(axeFaults, `${sound}<main></main>`)).join()).toMatch(/landmark-no-duplicate-main: /)
    const pale = style('@media (prefers-color-scheme: dark) { body { background: #000; color: #111 } }')
    expect(await found(axeFaults, sound, { ...pale, scheme: 'light' })).toEqual([])
    expect((await found(axeFaults, sound, { ...pale, scheme: 'dark' })).join()).toMatch(/color-contrast: /)
  })

  it('by the Tab key finds what it does not reach, and a focus that does not show', async () => {
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

  it('finds that there is no skip link, and one that leads nowhere', async () => {
    expect(await found(skipLinkFaults, sound)).toEqual([])
    expect((await found(skipLinkFaults, sound.replace('#main', '/other'))).join()).toContain(
      'The first stop is no skip link',
    )
    expect((await found(skipLinkFaults, sound.replace('#main', '#elsewhere'))).join()).toContain(
      'The skip link leads to #elsewhere',
    )
  })

  it('finds text that nobody can read, and takes closed details for readable', async () => {
    expect(await found(unreadableFaults, sound, { script: false })).toEqual([])
    expect(await found(unreadableFaults, `${sound}<p hidden>Secret</p>`, { script: false })).toEqual([
      'Nobody can read: Secret',
    ])
    const shown = { '/own.js': 'document.querySelector("[hidden]").hidden = false' }
    expect(await found(unreadableFaults, `${sound}<p hidden>Secret</p>`, { ...script, files: shown })).toEqual([])
  })

  it('finds what is wider than the window', async () => {
    expect(await found(overflowFaults, sound, { width: 320 })).toEqual([])
    expect((await found(overflowFaults, sound, { width: 320, ...style('h1 { width: 400px }') })).join()).toMatch(
      /^The page is \d+ pixels too wide: <h1> Title$/,
    )
  })
})

describe('finding a browser', () => {
  it('takes CHROME_PATH first, and says what is wrong with it', () => {
    expect(findBrowser({ CHROME_PATH: findBrowser().path, PATH: '' }).line).toMatch(/^Chromium [\d.]+: CHROME_PATH\.$/)
    expect(() => findBrowser({ CHROME_PATH: '/nowhere/chromium' })).toThrow(/^CHROME_PATH is set, .*ENOENT/)
    expect(() => findBrowser({ CHROME_PATH: process.execPath })).toThrow(/does not say which version of Chromium/)
  })

  it('unpacks the one that npm brings, where there is one for the machine', () => {
    if (process.platform !== 'linux' || process.arch !== 'x64')
      return expect(() => embeddedBrowser()).toThrow('It has no Chromium for')
    const { path, env } = embeddedBrowser()
    const version = execFileSync(path, ['--version'], { encoding: 'utf8', env: { ...env, PATH: '' } })
    expect(version).toMatch(/Chromium|Chrome/)
    // A second one finds it unpacked.
    expect(embeddedBrowser()).toEqual({ path, env })
  })
})
