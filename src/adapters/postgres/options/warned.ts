/** The default `onWarning`: emits the message as a process warning. */
export const warned = (message: string): void => process.emitWarning(message, 'express-rest-conventions')
