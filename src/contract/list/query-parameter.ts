/** Parameters of query strings as the API reference describes them. */

/** JSON Schema of one value, or of the values between commas. */
export interface ParameterSchema {
  type?: string
  format?: string
  enum?: readonly unknown[]
  items?: ParameterSchema
  minimum?: number
  maximum?: number
  default?: unknown
}

/** What a parameter means; without a schema it is any text. */
export type QueryParameter = string | { text: string; schema: ParameterSchema }

/** A switch. */
export const flagParameter = (text: string, defaultValue: boolean): QueryParameter => ({
  text,
  schema: { type: 'boolean', default: defaultValue },
})
