/** The safe (read-only) methods of RFC 9110 9.2.1, except TRACE. */
export const safeMethods: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS'])
