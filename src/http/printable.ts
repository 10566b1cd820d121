/** The maximum length of a part of a request that a message repeats. */
const longest = 80

/**
 * Returns the beginning of `text` for a message. `text` is a field value or a part of a URL.
 * Characters other than printable ASCII are replaced.
 */
export const printable = (text: string): string => text.slice(0, longest).replace(/[^\x20-\x7e]/g, '?')
