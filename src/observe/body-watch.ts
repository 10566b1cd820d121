/** Reads the beginning of a response body, without changing the response. */
import type { ServerResponse } from 'node:http'

/** The kind of a body, by its first character that is not whitespace. */
export type BodyForm = 'empty' | 'array' | 'object' | 'markup' | 'other'

type Send = (...values: unknown[]) => unknown

/**
 * The number of characters of a chunk that are examined. If all of them are whitespace, the kind of
 * the body is `other`. If a shorter chunk is all whitespace, the next chunk is examined.
 */
const examined = 64

export class BodyWatch {
  #form: BodyForm | undefined
  #restore: (() => void)[] = []

  constructor(res: ServerResponse) {
    for (const name of ['write', 'end'] as const) this.#watch(res, name)
  }

  /** The kind of the body. Read it after the response has ended. */
  get form(): BodyForm {
    return this.#form ?? 'empty'
  }

  /** Wraps a method of the response. All arguments are passed on unchanged. */
  #watch(res: ServerResponse, name: 'write' | 'end'): void {
    const methods = res as unknown as Record<'write' | 'end', Send>
    const own = Object.hasOwn(res, name) ? methods[name] : undefined
    const see = (chunk: unknown, encoding: unknown): void => this.#see(chunk, encoding)
    // Express replaces the prototype of a response, so the original method is looked up at each
    // call.
    const watched = function (this: unknown, ...values: unknown[]): unknown {
      see(values[0], values[1])
      const original = own ?? (Object.getPrototypeOf(res) as Record<'write' | 'end', Send>)[name]
      return original.apply(this, values)
    }
    methods[name] = watched
    this.#restore.push(() => {
      // Another wrapper, such as compression, may have replaced this method in the meantime. That
      // wrapper still calls `watched`, so the method is not restored.
      if (methods[name] !== watched) return
      if (own === undefined) Reflect.deleteProperty(res, name)
      else methods[name] = own
    })
  }

  #see(chunk: unknown, encoding: unknown): void {
    if (this.#form !== undefined) return
    try {
      const text = beginning(chunk, encoding)
      const [first] = /\S/u.exec(text.replace(/^\ufeff/u, '')) ?? []
      if (first === undefined && text.length < examined) return
      this.#form = formOf(first)
      for (const restore of this.#restore) restore()
    } catch {
      this.#form = 'other'
    }
  }
}

function beginning(chunk: unknown, encoding: unknown): string {
  if (chunk instanceof Uint8Array)
    return Buffer.from(chunk.buffer, chunk.byteOffset, Math.min(chunk.byteLength, examined))
      .toString('latin1')
      .replace(/^ï»¿/u, '')
  if (typeof chunk !== 'string') return ''
  const text = chunk.slice(0, examined)
  const isPlain = typeof encoding !== 'string' || /^(?:utf-?8|latin1|ascii|binary)$/iu.test(encoding)
  return isPlain
    ? text
    : Buffer.from(text, encoding as BufferEncoding)
        .toString('latin1')
        .replaceAll('\0', '')
}

const formOf = (first: string | undefined): BodyForm =>
  first === '[' ? 'array' : first === '{' ? 'object' : first === '<' ? 'markup' : 'other'
