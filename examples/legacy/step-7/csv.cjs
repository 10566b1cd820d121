/** The list as CSV, in place of a path that ends so: `Accept: text/csv`. */
const { representation } = require('express-rest-conventions')

module.exports = representation('text/csv; charset=utf-8', {
  list: (deliveries) => {
    const lines = deliveries.map(({ code, recipient, status }) => [code, recipient, status].join(';'))
    return ['code;recipient;status', ...lines, ''].join('\n')
  },
})
