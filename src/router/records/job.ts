/**
 * Implements `Caller` for a job, which is work that the service's own code does outside of any
 * request.
 */
import { randomUUID } from 'node:crypto'
import { type Action, type Decided, decide, type Permission } from '../../auth/permission.js'
import type { KeyValue } from '../../definition/key.js'
import type { Mounted } from '../../plan/routes.js'
import { callChannel } from '../../telemetry/channels.js'
import type { Caller } from '../caller.js'
import type { RequestEvent } from '../hooks.js'
import { observe } from '../observed.js'
import { Progress } from '../progress.js'
import type { ServedVersion, Versions } from '../served-version.js'
import type { Service } from '../service.js'
import { type OwnTimeLimit, ownTimeLimit } from '../time-limit.js'

/** The constructor arguments of a job. */
export interface JobParts {
  readonly service: Service
  readonly version: ServedVersion
  readonly versions: Versions | undefined
  readonly principal: unknown
  readonly timeout: number
  readonly signal: AbortSignal | undefined
  readonly requestId: string | undefined
}

export class Job implements Caller {
  readonly req = undefined
  readonly service: Service
  readonly version: ServedVersion
  readonly versions: Versions | undefined
  readonly principal: unknown
  readonly requestId: string
  readonly root: string
  readonly base: string
  readonly reads = false
  readonly mayBeInTransaction = false
  readonly progress = new Progress()
  timeLimit: OwnTimeLimit
  readonly #renewed: () => OwnTimeLimit
  readonly #signal: AbortSignal | undefined

  /** Sets `root` to the configured `baseUrl`. Without a `baseUrl`, links contain only paths. */
  constructor({ service, version, versions, principal, timeout, signal, requestId = randomUUID() }: JobParts) {
    this.service = service
    this.version = version
    this.versions = versions
    this.principal = principal
    this.requestId = requestId
    this.root = service.root ?? ''
    this.base = version.name === '' ? this.root : `${this.root}/${version.name}`
    if (service.observes || callChannel.hasSubscribers) observe(this)
    signal?.throwIfAborted()
    this.#signal = signal
    this.#renewed = () => ownTimeLimit(timeout, signal, this.progress)
    this.timeLimit = this.#renewed()
  }

  /** Restarts the time limit for the next record. Throws if the job has been aborted. */
  again(): void {
    this.#signal?.throwIfAborted()
    this.timeLimit.end()
    this.timeLimit = this.#renewed()
  }

  /** Removes the time limit's listener from the signal of the job. Called when the work is done. */
  end(): void {
    this.timeLimit.end()
  }

  get permission(): Permission | undefined {
    return this.service.permission
  }

  withOwnAdapter(mounted: Mounted): Mounted {
    return mounted
  }

  decide(action: Action, resource: string, key?: KeyValue): Decided {
    const { permission } = this.service
    return permission === undefined
      ? 'allow'
      : this.timeLimit.waitFor(decide(permission, this.principal, { action, resource, key }))
  }

  /** Legacy behavior is meant for clients, and a job is not a client. */
  legacy(): undefined {
    return undefined
  }

  event(): RequestEvent {
    const { requestId, version, principal } = this
    return {
      requestId,
      method: 'JOB',
      version: version.name || undefined,
      route: undefined,
      httpRoute: undefined,
      collection: undefined,
      operation: undefined,
      traceparent: undefined,
      principal,
    }
  }
}
