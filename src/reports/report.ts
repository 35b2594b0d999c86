/**
 * A report of a folder as texts to show, the same for all forms of it. Its names are those of the placeholders in templates
 * (`fields.ts`), where `systemResolution` is written `system_resolution`.
 */

/** A JPEG. */
export interface Picture {
  bytes: Uint8Array
}

export interface NamedValue {
  name: string
  value: string
}

export interface ReportScore {
  /** Number of the analysis. */
  analysis: string
  type: string
  /** The type of the analysis in words. */
  title: string
  name: string
  /** The name in words. */
  label: string
  /** Numbers of the media. */
  media: string
  score: string
  /** What the score must be, such as `below 0.5`. */
  required: string
  state: string
}

export interface ReportAnalysis {
  number: string
  id: string
  type: string
  /** The type in words, as the verdicts below are. */
  title: string
  state: string
  systemResolution: string
  systemVerdict: string
  /** The operator's decision, else the system's. */
  resolution: string
  verdict: string
  resolutionOperator: string
  operatorVerdict: string
  resolutionComment: string
  /** Why it failed; empty if it did not. */
  error: string
  /** Why the service did not decide it with success, with the numbers of the media; the gravest first. */
  reasons: readonly NamedValue[]
  timeCreated: string
  timeUpdated: string
  /** Numbers of the media. */
  media: string
  scores: readonly ReportScore[]
  evidence: readonly NamedValue[]
  profile: string
  assurance: string
  networks: string
}

export interface ReportPicture {
  caption: string
  /** `null` if the picture cannot be had. */
  image: Picture | null
}

export interface ReportMedium {
  number: string
  id: string
  kind: string
  name: string
  tags: string
  type: string
  size: string
  dimensions: string
  md5: string
  timeCreated: string
  /** Empty in reports without pictures. */
  pictures: readonly ReportPicture[]
  evidence: readonly NamedValue[]
}

export interface ReportDecision {
  time: string
  who: string
  what: string
  comment: string
}

export interface ReportModels {
  profile: string
  assurance: string
  networks: string
  /** Numbers of the analyses that used them. */
  analyses: string
}

export interface Report {
  report: { id: string; fileName: string; timeCreated: string; template: string }
  service: { version: string }
  folder: {
    id: string
    companyId: string
    companyName: string
    userId: string
    timeCreated: string
    timeUpdated: string
    resolutionStatus: string
    systemResolution: string
    systemVerdict: string
    /** What the system's result means. */
    meaning: string
    operatorStatus: string
    operatorComment: string
    /** A status that is no verdict, and the comment. */
    operatorRemark: string
    /** The operator's decision, else the system's. */
    resolution: string
    verdict: string
    /** Who gave it, and when. */
    decidedBy: string
    /** What the company calls the case, if the report shows it. */
    reference: string
  }
  /** The chosen fields of the folder's metadata. */
  fields: readonly NamedValue[]
  analyses: readonly ReportAnalysis[]
  /** The scores of all analyses. */
  scores: readonly ReportScore[]
  media: readonly ReportMedium[]
  decisions: readonly ReportDecision[]
  models: readonly ReportModels[]
  /** Whether the report shows pictures. */
  attachments: boolean
}
