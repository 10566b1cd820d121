/** The default `onWarning`: emits a warning of the process. */
export const warned = (message: string): void => process.emitWarning(message, 'express-rest-conventions')
