/** Kinds of settings, which parse the text of a variable into a value. */
import { isSystemRole, type UserType, userTypes } from './identity/roles.ts'
import { isNetwork } from './network-address.ts'

/** The parts of the service to run. */
export interface Components {
  /** Whether requests need a token. Another setting can open Instant. */
  auth: boolean
  /** Whether folders, users and results are stored. */
  stateful: boolean
  /** Whether documents are analysed. */
  documents: boolean
}

const throttledKinds = ['auth', 'rest_unauthorized', 'rps_with_token', 'telemetry'] as const
export type ThrottledKind = (typeof throttledKinds)[number]
export type ThrottlingRates = Partial<Record<ThrottledKind, { calls: number; seconds: number }>>

export interface Variable<T> {
  name: string
  aliases: readonly string[]
  /** The text to use if the variable is missing or empty. */
  defaultValue: string
  /** The allowed values, for the error message. */
  allowed: string
  description: string
  /** Whether it must not be shown. */
  isSecret?: true
  /** `undefined` for a text that is not allowed. */
  parse(text: string): T | undefined
}

const listAliases = (name: string): string[] => (name.startsWith('SVC_') ? [name.replace('SVC_', 'OZ_')] : [])

export function text(name: string, defaultValue: string, description: string): Variable<string> {
  return {
    name,
    aliases: listAliases(name),
    defaultValue,
    allowed: 'text',
    description,
    parse: (value) => value,
  }
}

/** A text that must not be shown: keys, tokens, passwords. */
export const secret = (name: string, description: string): Variable<string> => ({
  ...text(name, '', description),
  allowed: 'secret text',
  isSecret: true,
})

/** Whether a key is given as its text, not as the path of its file. */
export const isKeyText = (value: string): boolean => value.startsWith('-----BEGIN ')

/** A file of keys (PEM), or its text, in which line feeds may be written as `\n`. */
export const keyFile = (name: string, description: string): Variable<string> => ({
  ...secret(name, description),
  allowed: 'a path, or the text of a PEM file',
  parse: (value) => (isKeyText(value) ? value.replaceAll('\\n', '\n') : value),
})

/** A key that wraps others. */
export interface StorageKey {
  id: string
  bytes: Uint8Array
}

const storageKeyBytes = 32
export const storageKeysForm =
  'ID:KEY, one a line or with commas between them: ID of 2 to 32 letters, digits, _ and -, each once; KEY the base64 of 32 random bytes; make one with: echo "k1:$(openssl rand -base64 32)"'

function readStorageKey(text: string): StorageKey | null {
  const [, id, coded] = /^([\w-]{2,32}):([A-Za-z0-9+/]{43}=)$/.exec(text) ?? []
  if (id === undefined || coded === undefined) return null
  const bytes = Uint8Array.from(atob(coded), (character) => character.charCodeAt(0))
  const isRandom = bytes.length === storageKeyBytes && new Set(bytes).size >= keyLettersMin
  return isRandom ? { id, bytes } : null
}

/** @returns `null` unless the text has the form of keys */
export function parseStorageKeys(text: string): readonly [StorageKey, ...StorageKey[]] | null {
  const found = text
    .split(/[\s,]+/)
    .filter((item) => item !== '')
    .map(readStorageKey)
  const keys = found.filter((key) => key !== null)
  const [first, ...others] = keys
  const isSound = keys.length === found.length && new Set(keys.map(({ id }) => id)).size === keys.length
  return first && isSound ? [first, ...others] : null
}

/** Whether keys are given as their text, not as the path of their file. */
export const isStorageKeyText = (value: string): boolean => /^[\w-]{2,}:/.test(value)

/** Keys that wrap others, or the path of a file of them. */
export const storageKeys = (name: string, description: string): Variable<string> => ({
  ...secret(name, description),
  allowed: `a path, or ${storageKeysForm}`,
  parse: (value) => (isStorageKeyText(value) && !parseStorageKeys(value) ? undefined : value),
})

const keyLengthMin = 32
/** 32 random hexadecimal digits have fewer different ones only once in 10^10 cases; repeated words and digits mostly do. */
const keyLettersMin = 8

/** A secret that can be guessed offline, so it must be long and not a short word repeated. */
export const signingKey = (name: string, description: string): Variable<string> => ({
  ...secret(name, description),
  allowed: `empty or at least ${keyLengthMin} characters, ${keyLettersMin} of them different; make one with: openssl rand -hex 32`,
  parse: (value) =>
    value === '' || (value.length >= keyLengthMin && new Set(value).size >= keyLettersMin)
      ? value
      : undefined,
})

/** A text for which `None` means none. */
export const noneText = (name: string, description: string): Variable<string> => ({
  ...text(name, '', description),
  parse: (value) => (value === 'None' ? '' : value),
})

/** The id of an object, in lower case. */
export const uuid = (name: string, description: string): Variable<string> => ({
  ...text(name, '', description),
  allowed: 'a UUID',
  parse: (value) =>
    /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?$/i.test(value) ? value.toLowerCase() : undefined,
})

export function flag(name: string, defaultValue: boolean, description: string): Variable<boolean> {
  return {
    name,
    aliases: listAliases(name),
    defaultValue: String(defaultValue),
    allowed: 'true or false',
    description,
    parse(value) {
      if (/^(1|true|yes|y|t|on)$/i.test(value)) return true
      return /^(0|false|no|n|f|off)$/i.test(value) ? false : undefined
    },
  }
}

export function number(
  name: string,
  defaultValue: number | 'auto',
  bounds: { min: number; max: number; whole?: boolean },
  description: string,
): Variable<number> {
  const { min, max, whole = true } = bounds
  const kind = whole ? 'a whole number' : 'a number'
  return {
    name,
    aliases: listAliases(name),
    defaultValue: String(defaultValue),
    allowed: `${kind} from ${min} to ${max}`,
    description,
    parse(value) {
      if (value === 'auto' && defaultValue === 'auto') return Number.NaN
      const parsed = /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
      return parsed >= min && parsed <= max && (!whole || Number.isInteger(parsed)) ? parsed : undefined
    },
  }
}

export function choice<const T extends string>(
  name: string,
  options: readonly [T, ...T[]],
  description: string,
): Variable<T> {
  return {
    name,
    aliases: listAliases(name),
    defaultValue: options[0],
    allowed: options.join(', '),
    description,
    parse: (value) => options.find((option) => option === value.toLowerCase()),
  }
}

/** A time zone of the IANA list. */
export function timeZone(name: string, defaultValue: string, description: string): Variable<string> {
  return {
    name,
    aliases: [],
    defaultValue,
    allowed: 'a time zone such as Etc/UTC',
    description,
    parse(value) {
      try {
        new Intl.DateTimeFormat('en', { timeZone: value })
        return value
      } catch {
        return undefined
      }
    },
  }
}

/** Origins separated by commas, or `*`. */
export function origins(name: string, description: string): Variable<readonly string[]> {
  return {
    name,
    aliases: listAliases(name),
    defaultValue: '',
    allowed: 'origins such as https://app.example, separated by commas, or *',
    description,
    parse(value) {
      const list = value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '')
      const known = (item: string) => item === '*' || /^https?:\/\/[^/\s]+$/.test(item)
      return list.every(known) ? list : undefined
    },
  }
}

/** Addresses and networks. */
export function networks(name: string, description: string): Variable<readonly string[]> {
  return {
    name,
    aliases: listAliases(name),
    defaultValue: '',
    allowed:
      'addresses and networks such as 127.0.0.1, 10.0.0.0/8, fd00::/8, separated by commas; empty for none',
    description,
    parse(value) {
      const list = value.split(',').map((item) => item.trim())
      const named = list.filter((item) => item !== '')
      return named.every(isNetwork) ? named : undefined
    },
  }
}

/** The parts of the service to run, by their names in the contract: `auth`, `stateful`, `stateless`, `oz_collections`; and `documents`. */
export function components(name: string, defaultValue: string, description: string): Variable<Components> {
  const known = ['auth', 'stateful', 'stateless', 'oz_collections', 'documents']
  return {
    name,
    aliases: listAliases(name),
    defaultValue,
    allowed:
      'stateless, "auth,stateless" or "auth,stateful,oz_collections", each with ",documents" or without',
    description,
    parse(value) {
      const list = value.split(',').map((item) => item.trim().toLowerCase())
      if (!list.every((item) => known.includes(item))) return undefined
      const stateful = list.includes('stateful')
      if (stateful === list.includes('stateless') || (stateful && !list.includes('auth'))) return undefined
      return { auth: list.includes('auth'), stateful, documents: list.includes('documents') }
    },
  }
}

/** `kind=calls/seconds`, separated by commas. */
export function rates(name: string, defaultValue: string, description: string): Variable<ThrottlingRates> {
  const kinds: readonly string[] = throttledKinds
  return {
    name,
    aliases: listAliases(name),
    defaultValue,
    allowed:
      '`none`, or rates such as auth=10/60,rest_unauthorized=30/60,rps_with_token=20/1 (calls/seconds)',
    description,
    parse(value) {
      const found: ThrottlingRates = {}
      if (value.toLowerCase() === 'none') return found
      for (const item of value.split(',').filter((candidate) => candidate.trim() !== '')) {
        const [, kind = '', calls, seconds] = /^\s*(\w+)=(\d+)\/(\d+)\s*$/.exec(item) ?? []
        if (!kinds.includes(kind) || !Number(calls) || !Number(seconds)) return undefined
        found[kind as ThrottledKind] = { calls: Number(calls), seconds: Number(seconds) }
      }
      return found
    },
  }
}

/** Types of the steps of a challenge, with the seconds that each takes at most, and how many of them one challenge may have. */
export const challengeSteps = {
  gesture: { seconds: 2.4, max: 4 },
  approach: { seconds: 4, max: 1 },
  colours: { seconds: 4.8, max: 1 },
} as const
type ChallengeStepType = keyof typeof challengeSteps

/** Types of steps, separated by commas. A number is so many gestures. */
export function challenge(
  name: string,
  formerName: string,
  defaultValue: string,
  description: string,
): Variable<readonly ChallengeStepType[]> {
  const types = Object.keys(challengeSteps) as ChallengeStepType[]
  return {
    name,
    aliases: [formerName, ...[name, formerName].flatMap(listAliases)],
    defaultValue,
    allowed: `none, or ${types.map((type) => `${type} (at most ${challengeSteps[type].max})`).join(', ')}, separated by commas`,
    description,
    parse(value) {
      if (value.toLowerCase() === 'none') return []
      if (/^[0-4]$/.test(value)) return Array<'gesture'>(Number(value)).fill('gesture')
      const list = value.split(',').map((item) => item.trim().toLowerCase()) as ChallengeStepType[]
      const isAllowed =
        list.every((item) => types.includes(item)) &&
        types.every((type) => list.filter((item) => item === type).length <= challengeSteps[type].max)
      return isAllowed ? list : undefined
    },
  }
}

/** A value of the claim of roles, and what it gives. */
export interface RoleRule {
  value: string
  role: UserType
  /** Whether users of the role belong to a company of the service's customers. */
  hasCompany: boolean
}

/** Sessions of machine accounts last for years, whatever becomes of the person. */
const rolesOfPeople = userTypes.filter((role) => role !== 'CLIENT_SERVICE')

/** `value=ROLE`, separated by commas. Values may have commas and equals signs too, as distinguished names do. */
export function roleRules(name: string, description: string): Variable<readonly RoleRule[]> {
  const rule = new RegExp(`\\s*(\\S.*?)=(${rolesOfPeople.join('|')})\\s*(?:,|$)`, 'giy')
  return {
    name,
    aliases: listAliases(name),
    defaultValue: '',
    allowed: `such as face-admins=ADMIN,case-workers=CLIENT_OPERATOR; roles: ${rolesOfPeople.join(', ')}`,
    description,
    parse(text) {
      const found = [...text.matchAll(rule)]
      if (found.map(([whole]) => whole).join('') !== text) return undefined
      return found.map(([, value, word]) => {
        const role = word!.toUpperCase() as UserType
        return { value: value!, role, hasCompany: !isSystemRole(role) }
      })
    },
  }
}
