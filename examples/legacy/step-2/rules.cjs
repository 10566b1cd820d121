/** Rules that only report: a request that breaks one is answered as before, and counted. */
const { ifMatch, listQuery, methodRules, negotiate } = require('express-rest-conventions/middleware')
const deliveries = require('./deliveries.cjs')
const { formats, pages, parameters } = require('./old-clients.cjs')

/** `Accept`. */
exports.formatRules = (usage) => negotiate({ conventions: formats, usage })

/** The parameters of a list. */
exports.listRules = (usage) => listQuery(deliveries, { parameters, conventions: { ...pages, 'QUERY-8': 'report' }, usage })

/** HEAD and DELETE of a delivery, and changes without `If-Match`. */
exports.itemRules = (usage) => [
  methodRules({ on: 'item', allow: ['GET', 'PATCH', 'DELETE'], conventions: { 'VERB-6': 'report', 'VERB-8': 'report' }, usage }),
  ifMatch({ required: true, conventions: { 'HDR-3': 'report' }, usage }),
]
