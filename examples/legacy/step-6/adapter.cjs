/**
 * The adapter for a table of the store. With PostgreSQL, this file would be one call of
 * `postgresAdapter()`.
 */
const pageOf = require('../step-5/page-of.cjs')

const stored = ({ revision, ...value }) => ({ value, version: revision })

/** `unique`: the names of members, other than the id, whose values must be unique. */
function adapterOf(table, unique = []) {
  /** Returns a refusal if another row has the same id or the same value in a unique member. */
  const duplicate = (value, id) => {
    const member = ['id', ...unique].find((name) =>
      table.all().some((row) => row[name] === value[name] && row.id !== id),
    )
    return member && { refused: 'duplicate', members: [member], why: 'exists already' }
  }

  return {
    list(query) {
      const { items, total } = pageOf(table.all(), query)
      return { items: items.map(stored), total }
    },
    read: (ids) => ids.map((id) => table.find(id)).map((row) => row && stored(row)),
    create: (value) => duplicate(value) ?? { created: stored(table.insert(value)) },
    replace(id, value, expected) {
      if (table.find(id) === undefined) return 'absent'
      const refusal = duplicate({ ...value, id }, id)
      if (refusal) return refusal
      const row = table.update(id, value, expected)
      return row === undefined ? 'stale' : stored(row)
    },
    remove(id, expected) {
      if (table.find(id) === undefined) return 'absent'
      return table.remove(id, expected) ? 'removed' : 'stale'
    },
  }
}

/** The adapter for a table that clients can only read. */
function readOnly(table) {
  const { list, read } = adapterOf(table)
  return { list, read }
}

module.exports = { adapterOf, readOnly }
