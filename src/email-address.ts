/** E-mail addresses, by which users sign in. Writings that look the same are one address. */

const lengthMax = 254
const form = /^[^\s@]+@[^\s@]+$/
/** Characters that are rendered as nothing or as a space, and halves of characters. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{DI}]/u

/** In lower case, with composed characters. */
export const normalizeEmail = (text: string): string => text.trim().toLowerCase().normalize('NFC')

export const emailForm = `an e-mail address without invisible characters, of at most ${lengthMax} characters`

/** Whether a normalised text may be the address of a user. */
export const isEmail = (text: string): boolean =>
  text.length <= lengthMax && form.test(text) && !invisible.test(text)
