/** Reads the beginning of the body of an answer, without changing the answer. */
import type { ServerResponse } from 'node:http'

/** What a body begins with. */
export type BodyForm = 'empty' | 'array' | 'object' | 'markup' | 'other'

type Send = (...values: unknown[]) => unknown

/** How many characters are examined: a body that begins with more whitespace is `other`. */
const looked = 64

export class BodyWatch {
  #form: BodyForm | undefined
  #restore: (() => void)[] = []

  constructor(res: ServerResponse) {
    for (const name of ['write', 'end'] as const) this.#watch(res, name)
  }

  /** When the answer has ended. */
  get form(): BodyForm {
    return this.#form ?? 'empty'
  }

  /** Wraps a method of the response. All arguments are passed on unchanged. */
  #watch(res: ServerResponse, name: 'write' | 'end'): void {
    const methods = res as unknown as Record<'write' | 'end', Send>
    const own = Object.hasOwn(res, name) ? methods[name] : undefined
    const see = (chunk: unknown, encoding: unknown): void => this.#see(chunk, encoding)
    // Express replaces the prototype of a response: the method behind is looked up when it is called.
    const watched = function (this: unknown, ...values: unknown[]): unknown {
      see(values[0], values[1])
      const behind = own ?? (Object.getPrototypeOf(res) as Record<'write' | 'end', Send>)[name]
      return behind.apply(this, values)
    }
    methods[name] = watched
    this.#restore.push(() => {
      // Another wrapper, such as a compression, may have replaced this method meanwhile and still calls it.
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
      if (first === undefined && text.length < looked) return
      this.#form = formOf(first)
      for (const restore of this.#restore) restore()
    } catch {
      this.#form = 'other'
    }
  }
}

function beginning(chunk: unknown, encoding: unknown): string {
  if (chunk instanceof Uint8Array)
    return Buffer.from(chunk.buffer, chunk.byteOffset, Math.min(chunk.byteLength, looked))
      .toString('latin1')
      .replace(/^ï»¿/u, '')
  if (typeof chunk !== 'string') return ''
  const text = chunk.slice(0, looked)
  const isPlain = typeof encoding !== 'string' || /^(?:utf-?8|latin1|ascii|binary)$/iu.test(encoding)
  return isPlain
    ? text
    : Buffer.from(text, encoding as BufferEncoding)
        .toString('latin1')
        .replaceAll('\0', '')
}

const formOf = (first: string | undefined): BodyForm =>
  first === '[' ? 'array' : first === '{' ? 'object' : first === '<' ? 'markup' : 'other'
