/** The list as CSV by `Accept: text/csv`, instead of a path with an extension. */
const { representation } = require('express-rest-conventions')

module.exports = representation('text/csv; charset=utf-8', {
  list: (deliveries) => {
    const lines = deliveries.map(({ code, recipient, status }) => [code, recipient, status].join(';'))
    return ['code;recipient;status', ...lines, ''].join('\n')
  },
})
