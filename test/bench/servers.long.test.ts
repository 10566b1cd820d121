import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Database, makeDatabase } from '../../bench/data/database.js'
import {
  hasWorkload,
  isThere,
  type ServerName,
  type ServerRow,
  serverNames,
  servers,
  startServer,
} from '../../bench/servers/index.js'
import { asker } from '../../bench/workloads/ask.js'
import { workloadNames, workloadOf } from '../../bench/workloads/index.js'
import { keysOf, makeSecrets } from '../../bench/workloads/keys.js'

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const secrets = makeSecrets()
const keys = keysOf(secrets)
const token = keys.token('*:read *:write')

/**
 * The running servers, by their name and start options.
 */
const started = new Map<string, Promise<Server>>()
let database: Database

beforeAll(async () => {
  database = makeDatabase(inject('postgres').url, checkout)
  await database.ready
})

afterAll(async () => {
  for (const server of await Promise.all(started.values())) server.close().closeAllConnections()
  await database?.drop()
})

type Start = Record<'secured' | 'browsers' | 'inDatabase' | 'ownAdapter', boolean>

async function portOf(server: ServerName, { inDatabase, ...start }: Start): Promise<number> {
  const name = JSON.stringify([server, inDatabase, start])
  const made =
    started.get(name) ??
    startServer({
      server,
      checkout,
      ...start,
      database: inDatabase ? database.url : undefined,
      secret: secrets.secret,
      account: secrets.account,
    })
  started.set(name, Promise.resolve(made))
  const listening = await made
  if (!listening.listening) await once(listening.listen(0, '127.0.0.1'), 'listening')
  return (listening.address() as AddressInfo).port
}

describe('every available server of the benchmark gives the expected responses to each of its workloads', () => {
  for (const server of serverNames.filter((name) => isThere(name, checkout))) {
    for (const workload of workloadNames) {
      const {
        title,
        servers: only,
        secured = false,
        browsers = false,
        ownAdapter = false,
        ...rest
      } = workloadOf(workload)
      const { database: inDatabase = false, anonymous = false, check } = rest
      if (!hasWorkload(server, only)) continue
      it(`${server}: ${title}`, async () => {
        const row: ServerRow = servers[server]
        const asksForToken = secured || row.alwaysSecured === true
        const port = await portOf(server, { secured: asksForToken, browsers, inDatabase, ownAdapter })
        const needsToken = asksForToken && !anonymous
        await check(asker(port, needsToken ? { authorization: `Bearer ${token}` } : {}), keys)
        expect(port).toBeGreaterThan(0)
      })
    }
  }
})
