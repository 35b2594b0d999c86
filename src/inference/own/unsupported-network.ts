/** A network has an operator, or a form of one, that our kernel does not have. */
export class UnsupportedNetwork extends Error {}
