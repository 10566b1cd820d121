/**
 * The classes of request and response. Express puts its own prototypes under both on every request (`Object.setPrototypeOf`), which throws V8 off its
 * fast shapes: some 80 microseconds a request on Node 20 and 22. An object that is born with the prototype it would get makes that call do nothing.
 */

import { IncomingMessage as NodeRequest, ServerResponse as NodeResponse } from 'node:http'
import { Socket } from 'node:net'
import { isContainer } from '../definition/json.js'
import { rememberResponse } from './connections.js'

export interface RequestObjects {
  readonly IncomingMessage: typeof NodeRequest
  readonly ServerResponse: typeof NodeResponse
  /** Whether they have Express's prototypes. */
  readonly born: boolean
  /** Looks again at what a team has put on the prototypes meanwhile. */
  check(): void
}

/** Something that makes objects: what Node's two classes have been so far. */
type Maker = (this: object, first: unknown, second?: unknown) => void

/** The classes for what `listener` serves. An app that is not Express as we know it gets Node's own objects. */
export function requestObjects(listener: unknown): RequestObjects {
  const found = prototypesOf(listener)
  let plain = found === undefined
  const check = (): void => {
    if (found !== undefined)
      plain = !(sameWhenBorn(found.request, NodeRequest, new Socket()) && sameResponse(found.response))
  }
  check()

  // Stack traces and heap snapshots show these two names, so they are Node's.
  const makeRequest = NodeRequest as unknown as Maker
  function IncomingMessage(this: object, socket: Socket): object | undefined {
    if (plain) return new NodeRequest(socket)
    makeRequest.call(this, socket)
    return undefined
  }
  inherit(IncomingMessage, NodeRequest, found?.request)

  const makeResponse = NodeResponse as unknown as Maker
  // Every response passes through here, also a plain one: the shutdown has to know which is the latest of a connection.
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
    get born() {
      return !plain
    },
    check,
  }
}

/**
 * As `extends` would have it, but for the prototype, which no class can be given. V8 sizes new objects by what the constructors of this chain assign: without it the
 * fields lie outside of the object, which costs another 5 microseconds a request.
 */
function inherit(
  born: { prototype: object },
  base: { readonly prototype: object },
  prototype: object = base.prototype,
): void {
  Object.setPrototypeOf(born, base)
  born.prototype = prototype
}

/** What Express 4 and 5 put under requests and responses; nothing where it is not there or does not stand on Node's classes. */
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
  sameWhenBorn(prototype, NodeResponse, new NodeRequest(new Socket()))

/**
 * Whether an object that is born with this prototype has the very own properties that Node gives it. It would not if a prototype had a read-only or computed
 * property of a name that Node assigns, and could not if Node's classes were no functions any more.
 */
function sameWhenBorn(prototype: object, Class: new (argument: never) => object, argument: object): boolean {
  try {
    const plain = Object.getOwnPropertyDescriptors(new Class(argument as never))
    const object = Object.create(prototype) as object
    ;(Class as unknown as Maker).call(object, argument)
    const born = Object.getOwnPropertyDescriptors(object)
    const names = Reflect.ownKeys(plain)
    return (
      names.length === Reflect.ownKeys(born).length &&
      names.every((name) => sameKind(plain[name as string], born[name as string]))
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
