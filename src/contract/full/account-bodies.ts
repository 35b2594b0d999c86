/** Schemas of request bodies for users and companies. */
import * as v from 'valibot'
import { emailForm, isEmail, normalizeEmail } from '../../email-address.ts'
import { flagSchema, jsonObject } from '../parse.ts'

const name = v.nullish(v.pipe(v.string(), v.trim(), v.maxLength(200)))
const flag = v.nullish(flagSchema)

/** Fields of a user that callers may set, with the names of older and newer API versions. `null` removes a name; otherwise it means not set. */
const profile = {
  company_id: v.nullish(v.pipe(v.string(), v.toLowerCase(), v.uuid())),
  user_type: v.nullish(v.string()),
  is_admin: flag,
  is_service: flag,
  first_name: name,
  last_name: name,
  middle_name: name,
  can_start_analysis_biometry: flag,
  can_start_analysis_collection: flag,
  can_start_analysis_documents: flag,
  can_start_analysis_quality: flag,
  can_start_analyse_biometry: flag,
  can_start_analyse_collection: flag,
  can_start_analyse_documents: flag,
  can_start_analyse_quality: flag,
  is_active: flag,
  meta_data: v.nullish(jsonObject),
}

const email = v.pipe(v.string(), v.transform(normalizeEmail), v.check(isEmail, emailForm))
const password = v.string()

const code = v.pipe(
  v.string(),
  v.description('The six digits that the authenticator app of the user shows now'),
)

export const credentialsSchema = v.object({
  credentials: v.object({ email: v.string(), password, code: v.nullish(code) }),
})

const shortText = (meaning: string) =>
  v.pipe(v.string(), v.minLength(1), v.maxLength(8192), v.description(meaning))

/** What a provider sends back with the user, in the query of the address. */
export const providerCodeSchema = v.object({
  code: shortText('The code of the provider'),
  state: shortText('What the provider repeats'),
  iss: v.nullish(shortText('The issuer')),
  flow: shortText('What the sign-in began with'),
})

export const secondFactorSchema = v.object({ password })
export const secondFactorChangeSchema = v.object({ is_active: v.boolean(), code: v.nullish(code) })

export const refreshSchema = v.object({ expire_token: v.string() })

export const newUserSchema = v.object({
  credentials: v.object({ email, password }),
  profile: v.nullish(v.object(profile), {}),
  user_type: v.nullish(v.string()),
  meta_data: v.nullish(jsonObject),
})

/** Changes are where creation has them, or at the top level, as in answers. Callers of API 5 also change the password here. */
export const userChangeSchema = v.object({
  ...profile,
  profile: v.nullish(v.object(profile), {}),
  email: v.nullish(email),
  password: v.nullish(password),
  credentials: v.nullish(v.object({ email: v.nullish(email), password: v.nullish(password) }), {}),
})

type SentProfile = v.InferOutput<typeof newUserSchema>['profile']

type NullableName = 'first_name' | 'last_name' | 'middle_name'
const nullableNames: ReadonlySet<string> = new Set<NullableName>(['first_name', 'last_name', 'middle_name'])

/** The fields of a user that a request sets. */
export type UserProfile = {
  [K in keyof SentProfile]?: K extends NullableName ? SentProfile[K] : NonNullable<SentProfile[K]>
}

/** Leaves out fields that are not set, so that they replace nothing. */
export const givenProfile = (sent: SentProfile): UserProfile =>
  Object.fromEntries(
    Object.entries(sent).filter(
      ([name, value]) => value !== undefined && (value !== null || nullableNames.has(name)),
    ),
  )

export const passwordChangeSchema = v.object({
  old_password: v.nullish(password),
  new_password: v.nullish(password),
  password: v.nullish(password),
})

const companyName = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200))
const metadata = v.nullish(jsonObject)

const sandbox = v.nullish(
  v.pipe(
    v.boolean(),
    v.description(
      'Whether its analyses end as their folders ask, without inference; it cannot be changed later',
    ),
  ),
)
/** The field in the metadata of folders that tells what the company calls a case; an empty text for none. */
const reference_field = v.nullish(v.pipe(v.string(), v.trim(), v.maxLength(200)))

const about = { sandbox, meta_data: metadata, reference_field }
export const newCompanySchema = v.object({ name: companyName, ...about })
export const companyChangeSchema = v.object({ name: v.nullish(companyName), ...about })
