/**
 * Recognizes strings that can't be the id of an item. The URL of an item is built from the URL of
 * its collection and from an id in a response. If the id were empty, the result would be the URL of
 * the collection, and a DELETE request to this URL could remove all items.
 */

/**
 * Whether a string can be the last part of an item's URL. A server may decode and normalize the
 * path. So the result is false if a segment of the string is empty, `.` or `..`, even if the
 * segment is percent-encoded or is followed by a parameter such as `;a`. `%2F`, `%5C` and a
 * backslash count as slashes. The result is also false for a string with `?`, `#`, white space or a
 * control character. The shell function `is_id` in generated scripts (`report/script-shell.ts`)
 * must accept the same strings.
 */
export function isItemId(id: string): boolean {
  const path = `/${id.replace(/%2e/gi, '.').replace(/%2f|%5c|\\/gi, '/')}/`
  return !/\/\.{0,2}(?:;[^/]*)?\/|[?#\s\p{Cc}]/u.test(path)
}

/** Whether a URL is the URL of an item directly below the URL of a collection. */
export function isItemOf(address: string, collection: string): boolean {
  const id = address.slice(collection.length + 1)
  return address.startsWith(`${collection}/`) && !id.includes('/') && isItemId(id)
}
