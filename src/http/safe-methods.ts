/** The safe methods (RFC 9110 9.2.1), which are read-only, without TRACE. */
export const safeMethods: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS'])
