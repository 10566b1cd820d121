/** The page of some rows that a list query asks for: its values have their types, and its order is total. */
module.exports = function pageOf(all, { where, sort, offset, size }) {
  // Filters are equalities, since the definitions have no others.
  const rows = all.filter((row) => where.every(({ field, value }) => row[field] === value))
  rows.sort((a, b) => {
    const { field, descending } = sort.find((term) => a[term.field] !== b[term.field])
    return a[field] < b[field] !== descending ? -1 : 1
  })
  return { items: rows.slice(offset, offset + size), total: rows.length }
}
