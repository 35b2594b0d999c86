/** Version of this software; the same as in `package.json`. */
export const softwareVersion = '1.0.0'

/** Release of the contract whose behaviour is spoken. */
export const contractVersion = '6.6.5'
