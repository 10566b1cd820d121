/** A document that is well-formed, but no value: thrown where it shows, caught where its place is known. */
export class XmlRefusal extends Error {}
