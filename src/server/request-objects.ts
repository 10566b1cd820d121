/**
 * The classes of request and response objects. Express replaces the prototypes of both objects for
 * every request (`Object.setPrototypeOf`). This makes V8 abandon its fast object shapes, which
 * costs about 40 to 70 microseconds per request on Node 20 and 22 (docs/server.md). If an object is
 * created with Express's prototype, `Object.setPrototypeOf` sets the prototype that the object
 * already has, which costs nothing.
 */

import { IncomingMessage as NodeRequest, ServerResponse as NodeResponse } from 'node:http'
import { Socket } from 'node:net'
import { isContainer } from '../definition/json.js'
import { rememberResponse } from './connections.js'

export interface RequestObjects {
  readonly IncomingMessage: typeof NodeRequest
  readonly ServerResponse: typeof NodeResponse
  /** Whether the objects are created with Express's prototypes. */
  readonly usesExpressPrototypes: boolean
  /**
   * Checks again whether Express's prototypes can be used, because they might have been modified
   * since the previous check.
   */
  check(): void
}

/**
 * A constructor that can be called without `new`. Node's `IncomingMessage` and `ServerResponse`
 * still allow this.
 */
type Constructor = (this: object, first: unknown, second?: unknown) => void

/**
 * The classes for the requests and responses of `listener`. If `listener` has no prototypes, or
 * they can't be used, the objects are Node's own.
 */
export function requestObjects(listener: unknown): RequestObjects {
  const found = prototypesOf(listener)
  let plain = found === undefined
  const check = (): void => {
    if (found !== undefined)
      plain = !(haveSameProperties(found.request, NodeRequest, new Socket()) && sameResponse(found.response))
  }
  check()

  // Stack traces and heap snapshots show the names of these two functions, so the functions have
  // the names of Node's classes.
  const makeRequest = NodeRequest as unknown as Constructor
  function IncomingMessage(this: object, socket: Socket): object | undefined {
    if (plain) return new NodeRequest(socket)
    makeRequest.call(this, socket)
    return undefined
  }
  inherit(IncomingMessage, NodeRequest, found?.request)

  const makeResponse = NodeResponse as unknown as Constructor
  // Every response is created here, even if Express's prototypes are not used, because the shutdown
  // needs the latest response of each connection.
  function ServerResponse(this: object, req: NodeRequest, options: unknown): object | undefined {
    if (plain)
      return rememberResponse(req.socket, new (NodeResponse as new (...args: unknown[]) => NodeResponse)(req, options))
    makeResponse.call(this, req, options)
    rememberResponse(req.socket, this as NodeResponse)
    return undefined
  }
  inherit(ServerResponse, NodeResponse, found?.response)

  return {
    IncomingMessage: IncomingMessage as unknown as typeof NodeRequest,
    ServerResponse: ServerResponse as unknown as typeof NodeResponse,
    get usesExpressPrototypes() {
      return !plain
    },
    check,
  }
}

/**
 * Makes `Created` inherit from `base`, as `extends` would, but with the given `prototype`. The
 * class syntax can't set the prototype. V8 determines the size of new objects from the assignments
 * in the inherited constructors. If `Created` did not inherit from `base`, V8 would store the
 * fields outside of the object, which costs another 5 microseconds per request.
 */
function inherit(
  Created: { prototype: object },
  base: { readonly prototype: object },
  prototype: object = base.prototype,
): void {
  Object.setPrototypeOf(Created, base)
  Created.prototype = prototype
}

/**
 * The prototypes of an Express app (4 or 5) for requests and responses; `undefined` if the
 * prototypes are missing or do not extend Node's classes.
 */
function prototypesOf(listener: unknown): { request: object; response: object } | undefined {
  try {
    const { request, response } = listener as { request?: unknown; response?: unknown }
    const fits = isOver(NodeRequest.prototype, request) && isOver(NodeResponse.prototype, response)
    return fits ? { request: request as object, response: response as object } : undefined
  } catch {
    return undefined
  }
}

const isOver = (base: object, value: unknown): boolean =>
  isContainer(value) && Object.prototype.isPrototypeOf.call(base, value)

const sameResponse = (prototype: object): boolean =>
  haveSameProperties(prototype, NodeResponse, new NodeRequest(new Socket()))

/**
 * Whether an object created with this prototype has the same own properties as an object of Node's
 * class. The properties differ if a prototype has a read-only or computed property with a name that
 * Node assigns. The result is also false if Node's classes can no longer be called as functions.
 */
function haveSameProperties(prototype: object, Class: new (argument: never) => object, argument: object): boolean {
  try {
    const plain = Object.getOwnPropertyDescriptors(new Class(argument as never))
    const object = Object.create(prototype) as object
    ;(Class as unknown as Constructor).call(object, argument)
    const created = Object.getOwnPropertyDescriptors(object)
    const names = Reflect.ownKeys(plain)
    return (
      names.length === Reflect.ownKeys(created).length &&
      names.every((name) => sameKind(plain[name as string], created[name as string]))
    )
  } catch {
    return false
  }
}

function sameKind(one: PropertyDescriptor | undefined, other: PropertyDescriptor | undefined): boolean {
  if (one === undefined || other === undefined) return false
  return (
    one.writable === other.writable && one.enumerable === other.enumerable && one.configurable === other.configurable
  )
}
