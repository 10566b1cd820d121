/** The types of the package, which does not declare its own. */
declare module 'fs-native-extensions' {
  const extensions: {
    /** Locks the whole file. Returns false if another file descriptor has locked it. */
    tryLock(file: number): boolean
  }
  export default extensions
}
