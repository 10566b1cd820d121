/**
 * Opens a page in a real browser. All faults that the browser reports are collected, and a test
 * fails if there are any.
 */
import { readFileSync } from 'node:fs'
import {
  type Browser,
  type BrowserContext,
  type ConsoleMessage,
  chromium,
  type Page,
  type Request,
} from 'playwright-core'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { findBrowser } from './find-browser.js'

export interface VisitOptions {
  /** The color scheme. Default: `light`. */
  readonly scheme?: 'light' | 'dark'
  /** The width of the window in CSS pixels. Default: 1280. */
  readonly width?: number
  /** `false` disables JavaScript. */
  readonly script?: boolean
  /** Statuses of 400 and above that the test expects, such as 412. Default: none. */
  readonly statuses?: readonly number[]
}

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
}

/** The time limit for waiting on a page, in milliseconds. */
const timeout = 60_000

const inPage = readFileSync(new URL('in-page.js', import.meta.url), 'utf8')

let browser: Browser | undefined

/**
 * Starts the browser before the tests of a file, and closes it after them. Also raises the time
 * limit of the tests, because a machine may be busy.
 */
export function useBrowser(): void {
  vi.setConfig({ testTimeout: 4 * timeout })
  beforeAll(async () => {
    const { path, env, line } = findBrowser()
    console.log(line)
    browser = await chromium.launch({
      executablePath: path,
      env: { ...process.env, ...env },
      // The browser does not resolve the names and IP addresses of other hosts.
      args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
    })
  })
  afterAll(() => browser?.close())
}

/**
 * Opens a URL, runs a function on the page, and fails if the browser reported a fault meanwhile.
 */
export async function visit(
  address: string,
  options: VisitOptions,
  look: (visit: Visit) => Promise<void>,
): Promise<void> {
  const faults = await faultsOf(address, options, look)
  expect(faults).toEqual([])
}

/** Like `visit()`, but returns the faults instead of failing. */
export async function faultsOf(
  address: string,
  { scheme = 'light', width = 1280, script = true, statuses = [] }: VisitOptions,
  look: (visit: Visit) => Promise<void> = async () => {},
): Promise<readonly string[]> {
  if (browser === undefined) throw new Error('There is no browser: call useBrowser() in the file of the test.')
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width, height: 900 },
    javaScriptEnabled: script,
  })
  try {
    context.setDefaultTimeout(timeout)
    const faults = new Set<string>()
    const pending = new Set<Request>()
    context.on('request', (request) => pending.add(request))
    for (const end of ['requestfinished', 'requestfailed'] as const)
      context.on(end as 'requestfinished', (request) => pending.delete(request))
    await watch(context, new URL(address).origin, statuses, (fault) => faults.add(fault))
    const page = await context.newPage()
    await page.goto(address, { waitUntil: 'networkidle' })
    await look({ page, context })
    await vi.waitFor(
      () =>
        expect(
          [...pending].map((request) => request.url()),
          'Requests without an answer',
        ).toEqual([]),
      { timeout },
    )
    // When this resolves, all earlier messages of the page have arrived.
    await page.title()
    return [...faults]
  } finally {
    await context.close()
  }
}

async function watch(
  context: BrowserContext,
  origin: string,
  statuses: readonly number[],
  fault: (text: string) => void,
): Promise<void> {
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !isExpected(message, statuses))
      fault(`Console: ${message.text()}`)
  })
  context.on('weberror', (error) => fault(`Script: ${error.error().message}`))
  context.on('dialog', (dialog) => {
    fault(`Dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  context.on('request', (request) => {
    const { protocol, origin: to } = new URL(request.url())
    if (to !== origin && !['data:', 'blob:'].includes(protocol)) fault(`Another host: ${request.url()}`)
  })
  context.on('requestfailed', (request) => {
    const { errorText = '' } = request.failure() ?? {}
    // If the browser leaves a page, it aborts the requests of the page that are still in flight.
    if (errorText !== 'net::ERR_ABORTED') fault(`Failed: ${request.method()} ${request.url()}: ${errorText}`)
  })
  context.on('response', (response) => {
    const status = response.status()
    if (status >= 400 && !statuses.includes(status))
      fault(`Status ${status}: ${response.request().method()} ${response.url()}`)
  })
  await context.exposeBinding('policyViolated', (_, text: string) => fault(`Policy: ${text}`))
  await context.addInitScript(
    `document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) => ` +
      `policyViolated([effectiveDirective, blockedURI, sample].join(' ')))`,
  )
}

/**
 * Whether a message of the console reports a status that the test expects. The console reports each
 * response with a status of 400 or above.
 */
const isExpected = (message: ConsoleMessage, statuses: readonly number[]): boolean =>
  statuses.some((status) =>
    message.text().startsWith(`Failed to load resource: the server responded with a status of ${status} `),
  )

/** Calls a function of `in-page.js`. */
export async function ask<T>(page: Page, call: string): Promise<T> {
  await page.evaluate(`globalThis.rig ?? (() => {${inPage}})()`)
  return page.evaluate<T>(`rig.${call}`)
}
