/** Reports all faults of a delivery in one problem. */
const { HttpProblem } = require('express-rest-conventions')

const statuses = ['open', 'out', 'delivered', 'cancelled']

/** Throws a 422 problem if a delivery can't be stored. */
exports.check = ({ deliveries }, row) => {
  const errors = []
  const expect = (holds, member, detail) => holds || errors.push({ pointer: `/${member}`, detail })
  expect(row.code, 'code', 'code is missing')
  expect(row.recipient, 'recipient', 'recipient is missing')
  expect(row.address, 'address', 'address is missing')
  expect(statuses.includes(row.status), 'status', `status must be one of ${statuses.join(', ')}`)
  expect(row.depot_id, 'depot', 'there is no such depot')
  if (errors.length > 0)
    throw new HttpProblem('invalid-body', { detail: errors.map(({ detail }) => detail).join(', '), errors })
  const twin = deliveries.all().find((other) => other.code === row.code && other.id !== row.id)
  if (twin)
    throw new HttpProblem('duplicate', {
      detail: `${row.code} exists`,
      errors: [{ pointer: '/code', detail: 'another delivery has this code' }],
    })
}

/**
 * For `router.param`: sets `req.row` to the row with the id in the path. If there is no such row,
 * passes a 404 problem to `next`.
 */
exports.findRow = (table) => (req, _res, next, id) => {
  req.row = table.find(id)
  next(req.row === undefined ? new HttpProblem('absent', { detail: `nothing has the id ${id}` }) : undefined)
}
