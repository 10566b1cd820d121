/**
 * Rules that report: a request that violates a rule gets the same response as before, and is
 * counted. The README lists three responses that nevertheless change.
 */
const { ifMatch, listQuery, methodRules, negotiate } = require('express-rest-conventions/middleware')
const deliveries = require('./deliveries.cjs')
const { formats, pages, parameters } = require('./old-clients.cjs')

/** The rule for `Accept`. */
const formatRules = (usage) => negotiate({ conventions: formats, usage })

/** The rules of the list of deliveries: `Accept`, and parameters. */
const listRules = (usage) => [
  formatRules(usage),
  listQuery(deliveries, { parameters, conventions: { ...pages, 'QUERY-8': 'report' }, usage }),
]

/** The rules of one delivery: `Accept`, HEAD, DELETE, and changes without `If-Match`. */
const itemRules = (usage) => [
  formatRules(usage),
  methodRules({
    on: 'item',
    allow: ['GET', 'PATCH', 'DELETE'],
    conventions: { 'VERB-6': 'report', 'VERB-8': 'report' },
    usage,
  }),
  ifMatch({ required: true, conventions: { 'HDR-3': 'report' }, usage }),
]

module.exports = { formatRules, itemRules, listRules }
