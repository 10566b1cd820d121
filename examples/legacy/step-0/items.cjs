/** Single deliveries, and their depots. */
const { Router } = require('express4')
const { depotIn, present } = require('./present.cjs')

const statuses = ['open', 'out', 'delivered', 'cancelled']

module.exports = function items({ deliveries, depots }) {
  const router = Router()

  /** Returns a message about the first faulty member. The client shows this message to its user. */
  const faultOf = ({ recipient, address, status, depot_id }) => {
    if (!recipient) return 'recipient is missing'
    if (!address) return 'address is missing'
    if (!statuses.includes(status)) return `there is no status ${status}`
    if (!depot_id) return 'there is no such depot'
  }

  router.post('/deliveries', (req, res) => {
    const { code, recipient, address, status = 'open', depot } = req.body
    const row = { code, recipient, address, status, depot_id: depotIn(depots, depot) }
    const fault = code ? faultOf(row) : 'code is missing'
    if (fault) return res.status(422).json({ error: fault })
    if (deliveries.all().some((other) => other.code === code)) return res.status(409).json({ error: `${code} exists` })
    res.status(201).json(present(req, deliveries.insert(row)))
  })

  router.param('id', (req, res, next, id) => {
    req.row = deliveries.find(id)
    if (req.row === undefined) return res.status(404).json({ error: `there is no delivery ${id}` })
    next()
  })

  router.get('/deliveries/:id', (req, res) => res.json(present(req, req.row)))

  router.patch('/deliveries/:id', (req, res) => {
    const { recipient, address, status, depot } = { ...req.row, ...req.body }
    const changes = { recipient, address, status, depot_id: depot ? depotIn(depots, depot) : req.row.depot_id }
    const fault = faultOf(changes)
    if (fault) return res.status(422).json({ error: fault })
    res.json(present(req, deliveries.update(req.row.id, changes)))
  })

  router.delete('/deliveries/:id', (req, res) => {
    deliveries.remove(req.row.id)
    res.json({ deleted: true })
  })

  router.post('/deliveries/:id/cancel', (req, res) => {
    if (req.row.status === 'cancelled') return res.status(409).json({ error: 'already cancelled' })
    res.json(present(req, deliveries.update(req.row.id, { status: 'cancelled' })))
  })

  router.get('/depot/:depot', (req, res) => {
    const depot = depots.find(req.params.depot)
    if (depot === undefined) return res.status(404).json({ error: `there is no depot ${req.params.depot}` })
    const { revision, ...members } = depot
    res.json(members)
  })

  return router
}
