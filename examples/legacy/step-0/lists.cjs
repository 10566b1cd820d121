/** The list of deliveries: `?status=open&page=2&per_page=50`. Other parameters are ignored. */
const { Router } = require('express4')
const { present } = require('./present.cjs')

module.exports = function lists({ deliveries }) {
  const router = Router()
  router.get('/deliveries', (req, res) => {
    const { status } = req.query
    const page = Number(req.query.page) || 1
    const size = Math.min(Number(req.query.per_page) || 50, 500)
    const rows = deliveries.all().filter((row) => status === undefined || row.status === status)
    res.json(rows.slice((page - 1) * size, page * size).map((row) => present(req, row)))
  })
  return router
}
