/** A page for each source file of the examples, and an index page for each of their folders. */
import { sources } from './.vitepress/sources.js'

export default { paths: () => sources().map(({ path, content }) => ({ params: { source: path }, content })) }
