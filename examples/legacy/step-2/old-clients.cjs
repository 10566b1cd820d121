/** The settings for the old clients. They are removed together with the old version. */

/**
 * `page` and `per_page` are aliases of `offest` and `limit`. The ignored parameters never had an
 * effect.
 */
exports.parameters = { offest: ['page'], limit: ['per_page'], ignore: ['_', 'sort_by', 'columns'] }

/** The scanner requests pages of 1000 items. */
exports.pages = { 'QUERY-5': { mode: 'report', upTo: 1000, until: '2027-06-30' } }

/** The scanner sends an `Accept` that allows only text, but parses JSON. */
exports.formats = { 'HDR-1': { mode: 'report', as: 'json', until: '2027-06-30' } }

/** The old clients read `error` from the body of an error response. */
exports.errors = { 'ERR-3': { mode: 'report', until: '2027-06-30' } }
exports.shape = ({ title, detail = title }) => ({ body: { error: detail } })
