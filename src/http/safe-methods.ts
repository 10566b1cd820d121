/** The safe methods, which are read-only (RFC 9110 9.2.1). */
export const safeMethods: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS'])
