/** What the old clients do, written down: it goes with them. */

/** `page` and `per_page` are our `offest` and `limit`; the others never meant anything. */
exports.parameters = { offest: ['page'], limit: ['per_page'], ignore: ['_', 'sort_by', 'columns'] }

/** The scanner asks for pages of 1000. */
exports.pages = { 'QUERY-5': { mode: 'report', upTo: 1000, until: '2027-06-30' } }

/** The radio of the scanner accepts text, and reads JSON. */
exports.formats = { 'HDR-1': { mode: 'report', as: 'json', until: '2027-06-30' } }

/** They read `error` from the body of an error. */
exports.errors = { 'ERR-3': { mode: 'report', until: '2027-06-30' } }
exports.shape = ({ title, detail = title }) => ({ body: { error: detail } })
