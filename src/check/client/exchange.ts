/** A request and its response. */

/**
 * The caller of a request. A principal is identified by its name and not by its token, so that no
 * report and no script contains the token.
 */
export type Caller =
  /** No credentials. */
  | { readonly kind: 'nobody' }
  | { readonly kind: 'principal'; readonly name: string }
  /**
   * A principal's token whose last characters have been replaced, so that the signature is wrong.
   */
  | { readonly kind: 'altered'; readonly name: string }
  /**
   * A token with the claims of a principal's token, but with the algorithm "none" and without a
   * signature.
   */
  | { readonly kind: 'unsigned'; readonly name: string }
  /** Made-up Basic credentials, which are not secret. */
  | { readonly kind: 'basic'; readonly user: string; readonly password: string }
  /** The account that can log in, with a wrong password. Sent only to a disposable service. */
  | { readonly kind: 'wrong-password' }
  /** The account that can log in. */
  | { readonly kind: 'account' }
  /** A token from a login. */
  | { readonly kind: 'session'; readonly token: string }
  /** A made-up token, which is not secret. */
  | { readonly kind: 'forged'; readonly token: string }

export const nobody: Caller = { kind: 'nobody' }

export interface Request {
  readonly method: string
  /** The absolute URL, exactly as it is sent. */
  readonly url: string
  /** The header fields without credentials. */
  readonly headers: Readonly<Record<string, string>>
  readonly caller: Caller
  readonly body?: string | undefined
}

/** A response. The constructor expects the names of the header fields in lower case. */
export class Answer {
  readonly #fields: ReadonlyMap<string, string>
  #json: { readonly value: unknown } | undefined

  constructor(
    readonly status: number,
    fields: ReadonlyMap<string, string>,
    readonly body: string,
  ) {
    this.#fields = fields
  }

  /**
   * The value of a header field. If the response has several fields with this name, their values
   * are joined by commas.
   */
  field(name: string): string | undefined {
    return this.#fields.get(name.toLowerCase())
  }

  get fields(): readonly (readonly [name: string, value: string])[] {
    return [...this.#fields]
  }

  /** The media type, without parameters. */
  get type(): string {
    return (this.field('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  }

  get isJson(): boolean {
    return /^application\/(?:[\w.+-]+\+)?json$/.test(this.type)
  }

  /** The value of a JSON body; `undefined` for any other body. */
  get json(): unknown {
    this.#json ??= { value: this.isJson ? parsed(this.body) : undefined }
    return this.#json.value
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export interface Exchange {
  readonly request: Request
  readonly answer: Answer
  /** The time from the request to the end of the response, in milliseconds. */
  readonly milliseconds?: number
  /**
   * The number of the race to which the request belongs. All requests of a race were sent at the
   * same time.
   */
  readonly race?: number
}
