/**
 * The list as CSV. Clients request it by `Accept: text/csv` instead of by an extension in the path.
 */
const { representation } = require('express-rest-conventions')

module.exports = representation('text/csv; charset=utf-8', {
  list: (deliveries) => {
    const lines = deliveries.map(({ code, recipient, status }) => [code, recipient, status].join(';'))
    return ['code;recipient;status', ...lines, ''].join('\n')
  },
})
