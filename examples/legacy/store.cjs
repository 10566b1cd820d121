/**
 * The data of the service: depots, and deliveries to them. The data is in memory, so that the
 * example runs without a database. Each row has a revision, which changes with every write. Before
 * step 4, no client sees the revision.
 */
const { randomUUID } = require('node:crypto')

const streets = ['Belgrano', 'Mitre', 'Rivadavia', 'San Martín', 'Sarmiento']

const depots = [
  { id: 1, name: 'Buenos Aires', city: 'Buenos Aires' },
  { id: 2, name: 'Rosario Norte', city: 'Rosario' },
  { id: 3, name: 'Córdoba Centro', city: 'Córdoba' },
]

/** There are more deliveries than fit on the largest page of the old service. */
const deliveries = Array.from({ length: 620 }, (_, at) => ({
  id: at + 1,
  code: `D-${String(at + 1).padStart(5, '0')}`,
  recipient: `Recipient ${at + 1}`,
  address: `${streets[at % streets.length]} ${100 + at}`,
  status: at % 4 === 3 ? 'out' : 'open',
  depot_id: depots[at % depots.length].id,
}))

/**
 * A table: a map of rows by their id as a string. None of its methods awaits anything, so comparing
 * a revision and writing a row are one atomic step.
 */
function openTable(rows) {
  const byId = new Map()
  let lastId = 0
  const find = (id) => byId.get(String(id))
  const save = (row) => {
    byId.set(String(row.id), Object.freeze({ ...row, revision: randomUUID() }))
    lastId = Math.max(lastId, row.id)
    return find(row.id)
  }
  rows.forEach(save)
  return {
    all: () => [...byId.values()],
    find,
    insert: (row) => save({ id: lastId + 1, ...row }),
    /**
     * If a revision is given, updates the row only if the row still has this revision. In SQL:
     * `UPDATE ... WHERE id = $1 AND revision = $2`.
     */
    update(id, changes, revision) {
      const row = find(id)
      if (row === undefined || (revision !== undefined && row.revision !== revision)) return undefined
      return save({ ...row, ...changes, id: row.id })
    },
    remove(id, revision) {
      const row = find(id)
      return row !== undefined && (revision === undefined || row.revision === revision) && byId.delete(String(id))
    },
  }
}

exports.openTable = openTable
exports.openStore = () => ({ depots: openTable(depots), deliveries: openTable(deliveries) })
