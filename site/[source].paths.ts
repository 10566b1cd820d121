/** A page for each source file of the examples, and for each folder that has no README. */
import { sources } from './.vitepress/sources.js'

export default { paths: () => sources().map(({ path, content }) => ({ params: { source: path }, content })) }
