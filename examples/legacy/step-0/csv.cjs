/** The list of deliveries as CSV, for the billing client. */
const { Router } = require('express4')

module.exports = function csv({ deliveries }) {
  const router = Router()
  router.get('/deliveries.csv', (req, res) => {
    const rows = deliveries.all().filter(({ status }) => status === req.query.status)
    const lines = rows.map(({ code, recipient, status }) => [code, recipient, status].join(';'))
    res.type('text/csv').send(['code;recipient;status', ...lines, ''].join('\n'))
  })
  return router
}
