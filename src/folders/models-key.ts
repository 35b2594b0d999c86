import type { Profile, ProfileName } from '../inference/manifest.ts'

/** Names what answers: findings of other networks are not reused. */
export const modelsKey = (name: ProfileName, { detector, landmarks, template, pad }: Profile): string =>
  [name, detector, landmarks, template, ...pad].join(' ')
