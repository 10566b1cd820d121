/** The representation of a delivery. Its member `depot` is a plain URL. */
exports.present = (req, { depot_id, revision, ...members }) => ({
  ...members,
  depot: `${req.protocol}://${req.get('host')}/v1/depot/${depot_id}`,
})

/** Returns the id at the end of a depot's URL, or `undefined` if there is no such depot. */
exports.depotIn = (depots, address) => depots.find(String(address).split('/').pop())?.id
