/** The package brings no types. */
declare module 'fs-native-extensions' {
  const extensions: {
    /** Locks the whole file for this process; false where another has it. */
    tryLock(file: number): boolean
  }
  export default extensions
}
