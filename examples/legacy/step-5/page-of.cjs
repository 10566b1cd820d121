/**
 * Returns the page for a list query. The library has converted the values of the query to their
 * types, and has completed the sort order so that no two rows have the same place in it.
 */
module.exports = function pageOf(all, { where, sort, offset, size }) {
  // Only equality is supported, because the definitions have no other filters.
  const rows = all.filter((row) => where.every(({ field, value }) => row[field] === value))
  rows.sort((a, b) => {
    const { field, descending } = sort.find((term) => a[term.field] !== b[term.field])
    return a[field] < b[field] !== descending ? -1 : 1
  })
  return { items: rows.slice(offset, offset + size), total: rows.length }
}
