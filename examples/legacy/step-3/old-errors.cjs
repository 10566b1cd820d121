/** The form of errors that the old clients read. */
exports.errors = { 'ERR-3': { mode: 'report', until: '2027-06-30' } }

exports.shape = ({ title, detail = title }) => ({ body: { error: detail } })
