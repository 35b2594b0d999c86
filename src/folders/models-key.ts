import type { Profile, ProfileName } from '../inference/manifest.ts'

/** Rises with every release that finds something else, or more, with the same networks. */
const assessmentVersion = 5

/** Names what answers: findings of other networks, and those of earlier releases, are not reused. */
export const modelsKey = (name: ProfileName, { detector, landmarks, template, pad }: Profile): string =>
  [name, detector, landmarks, template, ...pad, `v${assessmentVersion}`].join(' ')
