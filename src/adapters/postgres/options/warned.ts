/** Where warnings go for which a team has no function: as warnings of the process. */
export const warned = (message: string): void => process.emitWarning(message, 'express-rest-conventions')
