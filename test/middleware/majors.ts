/** Both supported major versions of Express, and helpers to inspect a service over HTTP. */
import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo, connect } from 'node:net'
import express from 'express'
import request from 'supertest'
import { onTestFinished } from 'vitest'
import { problems } from '../../src/middleware/problems.js'
import type { HttpProblem } from '../../src/problem.js'

export type Express = typeof express
export type App = express.Express

// This module alias has no types. The API that these tests use is the same in both major versions.
const express4 = createRequire(import.meta.url)('express4') as Express

export const majors: readonly (readonly [name: string, express: Express])[] = [
  ['Express 5', express],
  ['Express 4', express4],
]

export interface Reported {
  readonly error: unknown
  readonly problem: HttpProblem
}

/**
 * Creates an app with these routes, followed by `problems()`. Also returns the errors that
 * `onError` got.
 */
export function service(
  major: Express,
  routes: (app: App) => void,
): { app: App; reported: Reported[]; call: ReturnType<typeof request> } {
  const app = major()
  const reported: Reported[] = []
  routes(app)
  app.use(problems({ onError: (error, problem) => void reported.push({ error, problem }) }))
  return { app, reported, call: request(app) }
}

/** Starts a server that is closed after the test, and returns its port. */
export async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return (server.address() as AddressInfo).port
}

/** Sends raw bytes and returns everything that arrives until the connection closes. */
export async function raw(listener: RequestListener, text: string): Promise<string> {
  const port = await listen(listener)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (data) => {
      answer += data.toString('latin1')
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}
