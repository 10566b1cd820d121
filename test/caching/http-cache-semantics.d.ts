/** The types that these tests need; the package has none. */
declare module 'http-cache-semantics' {
  type Fields = Readonly<Record<string, string>>

  interface Message {
    readonly url?: string
    readonly method?: string
    readonly status?: number
    readonly headers: Readonly<Record<string, string | string[] | undefined>>
  }

  export default class CachePolicy {
    constructor(request: Message, response: Message, options: { readonly shared: boolean })
    storable(): boolean
    satisfiesWithoutRevalidation(request: Message): boolean
    revalidationHeaders(request: Message): Fields
    revalidatedPolicy(request: Message, response: Message): { policy: CachePolicy; modified: boolean }
    responseHeaders(): Message['headers']
  }
}
