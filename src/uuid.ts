/** A UUID as text, of any version, in lower case; part of a regular expression. */
export const uuidForm = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

const whole = new RegExp(`^${uuidForm}$`, 'i')

/** Whether a text is a UUID, in any case. */
export const isUuid = (text: string): boolean => whole.test(text)
