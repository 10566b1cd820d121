/** Runs the example service as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { tokenIssuer } from '../../src/auth/index.js'

export const secret = 'a secret of tests, 32 bytes or more'

/**
 * The header fields of a caller who has all permissions for the private API. Only services that
 * `start` has started accept the token.
 */
export const asOperator = {
  Authorization: `Bearer ${tokenIssuer({ key: { algorithm: 'HS256', key: secret } })({ sub: 'test', scope: '*:read *:write' })}`,
}

/** Sends a request as a caller with all permissions. */
export const ask = (address: string, init: RequestInit = {}): Promise<Response> =>
  fetch(address, { ...init, headers: { ...asOperator, ...(init.headers as Record<string, string> | undefined) } })

const main = fileURLToPath(new URL('../../build/examples/pre-piezas/main.js', import.meta.url))

interface Ended {
  readonly code: number | null
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** The lines that the process prints when it listens. Rejects if the process ends before that. */
  readonly listening: Promise<string[]>
  /** The URL of the service, as soon as it listens. */
  readonly base: Promise<string>
}

/**
 * Starts the service: by default on a free port, without a rate limit and without a drain. From the
 * environment of this process, the service gets only `PATH`.
 */
export function start(env: Record<string, string>): Running {
  const child: ChildProcess = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH ?? '', PORT: '0', RATE_LIMIT: '0', DRAIN: '0', TOKEN_SECRET: secret, ...env },
  })
  let stdout = ''
  let stderr = ''
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  const ended: Promise<Ended> = once(child, 'close').then(([code]) => ({ code, stderr }))
  const listening = new Promise<string[]>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      stdout += chunk
      if (stdout.split('\n').length > 5) resolve(stdout.trimEnd().split('\n'))
    })
    child.once('close', () => reject(new Error(`The process ended before it listened: ${stderr}`)))
  })
  listening.catch(() => {}) // `base` rejects with the same error.
  const base = listening.then(([first = '']) => first.replace('listening on ', ''))
  base.catch(() => {})
  return { child, ended, listening, base }
}
