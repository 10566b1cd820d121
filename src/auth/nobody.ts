/** How a team's code says that nobody is meant: by what its database, its map or its check gives (AUTH-4). */
type Nobody = undefined | null | false

/** True for what stands for nobody: whatever JavaScript takes for false. `known.has(key) && caller` must let nobody through, whatever `caller` is. */
export const isNobody = <P>(principal: P | Nobody): principal is Nobody => !principal
