import type { ModelsInUse } from './run-analysis.ts'

/** Rises with every release that finds something else, or more, with the same networks. */
const assessmentVersion = 5

/** Names what answers: findings of other networks, and those of earlier releases, are not reused. */
export const modelsKey = ({ profileName, profile }: ModelsInUse): string => {
  const { detector, landmarks, template, pad } = profile
  return [profileName, detector, landmarks, template, ...pad, `v${assessmentVersion}`].join(' ')
}
