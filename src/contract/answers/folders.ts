/** Answers about folders, media and analyses. */
import * as v from 'valibot'
import { reasonCodes } from '../../decide/reasons.ts'
import { findings } from '../../documents/document-field.ts'
import { documentKinds } from '../../documents/mrz/parse-zone.ts'
import { decisionReasons } from '../../records/decision.ts'
import { sandboxNames } from '../../records/sandbox.ts'
import { gestureNames } from '../../vision/clip/gestures.ts'
import { wireTypes } from '../full/analysis-views/registry.ts'
import { companyAnswer, userAnswer } from './accounts.ts'
import {
  anyObject,
  count,
  id,
  idOrNull,
  listOf,
  resolution,
  score,
  text,
  textOrNull,
  time,
  timeOrNull,
} from './parts.ts'

export const pictureInfo = v.strictObject({
  md5: v.pipe(v.string(), v.length(32)),
  size: count,
  width: count,
  height: count,
  'mime-type': text,
})
const originalInfo = v.strictObject({
  duration: v.optional(v.pipe(v.number(), v.description('seconds'))),
  FPS: v.optional(v.number()),
  ...pictureInfo.entries,
})
export const mediumInfo = v.strictObject({
  thumb: pictureInfo,
  original: v.optional(originalInfo),
  video: v.optional(originalInfo),
})

const measure = v.nullable(v.number())
const point = v.array(v.number())
const quality = v.nullable(
  v.strictObject({
    face_side: measure,
    face_share: measure,
    sharpness: measure,
    brightness: measure,
    underexposed: measure,
    overexposed: measure,
    noise: measure,
    yaw: measure,
    pitch: measure,
    roll: measure,
    eyes_hidden: measure,
    mouth_hidden: measure,
    colour: measure,
    surroundings: measure,
    blockiness: measure,
    poor: v.array(text),
  }),
)

/** Facts about the sample of a medium; empty before it was assessed. */
export const sampleAnswer = v.strictObject({
  faces: v.optional(count),
  quarter_turns: v.optional(v.picklist([0, 1, 2, 3])),
  quality: v.optional(quality),
  clip: v.optional(anyObject),
  capture: v.optional(anyObject),
})

export const mediumAnswer = v.strictObject({
  media_id: id,
  image_id: v.optional(id),
  video_id: v.optional(id),
  shots_set_id: v.optional(id),
  folder_id: id,
  company_id: idOrNull,
  media_type: v.picklist(['IMAGE_FOLDER', 'VIDEO_FOLDER', 'SHOTS_SET_FOLDER']),
  tags: v.array(text),
  original_name: textOrNull,
  original_url: textOrNull,
  thumb_url: textOrNull,
  video_url: textOrNull,
  preview_url: textOrNull,
  images: v.optional(
    v.pipe(
      v.array(v.strictObject({ original_url: textOrNull })),
      v.description('Frames of an archive, in the order of their names; only in source_media'),
    ),
  ),
  info: mediumInfo,
  meta_data: anyObject,
  technical_meta_data: v.strictObject({
    ...sampleAnswer.entries,
    eyes: v.optional(
      v.pipe(
        v.strictObject({ right: point, left: point }),
        v.description(
          "Where the eyes of the largest face are, [x, y] in shares of the upright picture; of a clip, in its best frame. Right is the subject's",
        ),
      ),
    ),
  }),
  time_created: time,
  time_updated: time,
  folder_time_created: timeOrNull,
})

/** The snapshot of a medium, or of a photo of a person. */
export const snapshotAnswer = v.strictObject({
  media_id: id,
  folder_id: v.optional(id),
  person_id: v.optional(id),
  collection_id: v.optional(id),
  company_id: idOrNull,
  media_type: v.picklist(['IMAGE_FOLDER', 'IMAGE_PERSON']),
  original_name: text,
  original_url: text,
  thumb_url: textOrNull,
  folder_time_created: v.optional(time),
})

export const outputImageAnswer = v.strictObject({
  media_id: id,
  image_id: id,
  media_association_id: id,
  folder_id: id,
  company_id: idOrNull,
  media_type: v.literal('IMAGE_FOLDER'),
  tags: v.array(text),
  original_name: text,
  original_url: textOrNull,
  thumb_url: textOrNull,
  image_b64: v.optional(textOrNull),
  info: v.strictObject({ thumb: pictureInfo, original: pictureInfo }),
  time_created: time,
})

export const hitAnswer = v.strictObject({
  person_id: id,
  collection_id: id,
  confidence: score,
  person_image_id: id,
  media_id: id,
})

const status = v.picklist(['SUCCESS', 'DECLINED', 'OPERATOR_REQUIRED'])
const textFields = v.array(
  v.strictObject({
    field_name: text,
    visual: v.pipe(textOrNull, v.description('As printed on the page')),
    mrz: v.pipe(textOrNull, v.description('From the machine-readable zone')),
    status,
    finding: v.pipe(v.picklist(findings), v.description('What is known of the field')),
    visual_confidence: v.nullable(score),
    mrz_confidence: v.nullable(score),
  }),
)

/** Of documents; the names beside `text_fields` are our own. */
export const documentResults = v.strictObject({
  text_fields: textFields,
  document_kind: v.nullable(v.picklist(documentKinds)),
  document_format: textOrNull,
  issuing_state: textOrNull,
  mrz_lines: v.nullable(v.array(text)),
  validity: v.strictObject({
    check_digits: v.nullable(status),
    expiry: v.nullable(status),
    dates: v.nullable(status),
    agreement: v.nullable(status),
    single_document: v.nullable(status),
  }),
  double_page_spread: v.nullable(v.boolean()),
  hints: v.strictObject({
    screen: v.nullable(v.boolean()),
    copy: v.nullable(v.boolean()),
    mirrored: v.boolean(),
  }),
})

export const mediumResultAnswer = v.strictObject({
  company_id: idOrNull,
  media_association_id: id,
  analysis_id: idOrNull,
  analyse_id: idOrNull,
  source_media_id: id,
  source_image_id: v.optional(id),
  source_video_id: v.optional(id),
  source_shots_set_id: v.optional(id),
  results_data: v.nullable(
    v.looseObject({
      confidence_spoofing: v.optional(score),
      confidence_replay: v.optional(score),
      confidence_liveness: v.optional(score),
      text_fields: v.optional(textFields),
    }),
  ),
  output_images: v.array(outputImageAnswer),
  collection_persons: v.array(hitAnswer),
  folder_time_created: timeOrNull,
})

const detail = v.strictObject({
  quality_bounds: v.record(
    text,
    v.strictObject({ min: v.optional(v.number()), max: v.optional(v.number()) }),
  ),
  media: v.array(
    v.strictObject({
      media_id: idOrNull,
      score_parts: v.record(text, v.nullable(score)),
      picture: v.nullable(
        v.strictObject({
          width: count,
          height: count,
          time: v.nullable(v.number()),
          faces: v.array(v.strictObject({ box: point, confidence: score, keypoints: v.record(text, point) })),
          landmarks: v.nullable(v.record(text, v.array(point))),
          networks: v.optional(
            v.strictObject({
              views: v.array(
                v.strictObject({ view: text, live: score, replay: v.nullable(score), weight: v.number() }),
              ),
              bias: v.number(),
              softness: v.number(),
              reliability: score,
            }),
          ),
          frames: v.optional(
            v.array(
              v.strictObject({
                time: v.number(),
                box: v.nullable(point),
                yaw: v.optional(v.number()),
                pitch: v.optional(v.number()),
                eye_openness: v.optional(v.number()),
                mouth_width: v.optional(v.number()),
                sharpness: v.optional(v.number()),
                shot_score: v.optional(score),
                attack: v.optional(score),
                normalised_distance: v.optional(v.number()),
              }),
            ),
          ),
        }),
      ),
      document: v.optional(
        v.nullable(
          v.strictObject({
            zones: v.array(
              v.strictObject({ place: v.array(point), lines: v.array(text), mirrored: v.boolean() }),
            ),
            lines: v.nullable(v.array(v.strictObject({ place: v.array(point), text, confidence: score }))),
          }),
        ),
      ),
      challenge: v.optional(
        v.strictObject({
          steps: v.array(
            v.strictObject({
              type: v.picklist(['approach', 'colours']),
              from: v.optional(score),
              to: v.optional(score),
              colours: v.optional(v.array(v.strictObject({ colour: text, ms: v.number() }))),
              shown: v.pipe(point, v.description('From when to when it was shown, in seconds of the clip')),
              soft: v.boolean(),
              skipped: v.boolean(),
            }),
          ),
          light: v.array(v.array(v.number())),
          approach: v.nullable(
            v.strictObject({ depths: v.array(v.number()), frames: v.array(v.array(v.number())) }),
          ),
        }),
      ),
      timings: v.nullable(v.record(text, v.number())),
    }),
  ),
})

export const reasonAnswer = v.strictObject({
  code: v.picklist(reasonCodes),
  message: v.pipe(text, v.description('What was found')),
  advice: v.pipe(text, v.description('What to do about it')),
  media_ids: v.pipe(
    v.array(id),
    v.description('The media that it concerns; empty if it concerns none alone'),
  ),
})

/** What the service saw of the gesture that the tags of a medium name; of liveness. */
const gestureAnswer = v.strictObject({
  media_id: id,
  gesture: v.picklist(gestureNames),
  performed: v.boolean(),
  score: v.pipe(v.number(), v.description('Extent of the movement; from 1 on it counts as performed')),
  time: v.pipe(v.nullable(v.number()), v.description('Of its peak, in seconds of the clip')),
})

/** Whether the capture of a medium answers its challenge; of liveness. */
const challengeAnswer = v.strictObject({
  media_id: id,
  status: v.picklist(['answered', 'missed', 'cannot_tell', 'contradicted', 'no_evidence']),
  reasons: v.array(text),
  steps: v.optional(
    v.array(
      v.strictObject({
        step: v.pipe(text, v.description('The gesture, or the type of another step')),
        status: v.picklist(['performed', 'not_performed', 'cannot_tell']),
        reasons: v.array(text),
        advice: v.pipe(textOrNull, v.description('What the person can do')),
        attack: v.nullable(score),
        measures: v.record(text, measure),
      }),
    ),
  ),
})

export const sandboxName = v.picklist(sandboxNames)
const sandbox = v.pipe(
  v.optional(sandboxName),
  v.description('Nothing was checked: the outcome that was asked for, in a sandbox'),
)

/** Reasons, networks, samples and what the type adds; empty before the analysis has run. */
const technical = v.looseObject({
  sandbox,
  reasons: v.optional(
    v.pipe(
      v.array(reasonAnswer),
      v.description('Why the service did not decide it with SUCCESS, the gravest first'),
    ),
  ),
  model_profile: v.optional(text),
  assurance: v.optional(text),
  samples: v.optional(
    v.array(
      v.strictObject({
        media_id: id,
        faces: v.nullable(count),
        quality,
        clip: v.optional(anyObject),
      }),
    ),
  ),
  models: v.optional(v.array(text)),
  cohort: v.optional(text),
  comparisons: v.optional(
    v.array(
      v.strictObject({
        media_ids: v.array(id),
        confidence: score,
        distance: v.number(),
        normalised_distance: v.number(),
      }),
    ),
  ),
  gestures: v.optional(v.array(gestureAnswer)),
  challenges: v.optional(v.array(challengeAnswer)),
  detail: v.optional(detail),
})

export const analysisAnswer = v.strictObject({
  analysis_id: idOrNull,
  analyse_id: idOrNull,
  folder_id: id,
  company_id: idOrNull,
  group_id: idOrNull,
  type: v.picklist(wireTypes),
  state: v.picklist(['PROCESSING', 'FINISHED', 'FAILED']),
  resolution,
  resolution_status: resolution,
  system_resolution: resolution,
  resolution_operator: v.nullable(v.picklist(['SUCCESS', 'DECLINED'])),
  resolution_comment: text,
  results_data: v.nullable(
    v.looseObject({
      confidence_spoofing: v.optional(score),
      max_confidence: v.optional(score),
      min_confidence: v.optional(score),
      ...v.partial(documentResults).entries,
    }),
  ),
  confs: v.record(text, v.nullable(v.union([v.number(), text, v.boolean(), v.array(text)]))),
  decline_reason: textOrNull,
  error_code: v.nullable(v.number()),
  error_message: textOrNull,
  meta_data: anyObject,
  technical_meta_data: technical,
  source_media: v.array(mediumAnswer),
  results_media: v.array(mediumResultAnswer),
  time_created: time,
  time_updated: time,
  folder_time_created: timeOrNull,
})

export const folderAnswer = v.strictObject({
  folder_id: id,
  company_id: idOrNull,
  user_id: idOrNull,
  group_id: idOrNull,
  time_created: time,
  time_updated: time,
  resolution_endpoint: textOrNull,
  resolution_status: resolution,
  system_resolution: resolution,
  resolution_comment: text,
  resolution_time: timeOrNull,
  resolution_author_id: idOrNull,
  resolution_state_hash: textOrNull,
  operator_status: textOrNull,
  operator_comment: textOrNull,
  is_cleared: v.nullable(v.literal(true)),
  is_archive: v.boolean(),
  meta_data: anyObject,
  technical_meta_data: v.strictObject({ sandbox }),
  media: v.optional(v.array(mediumAnswer)),
  analyses: v.optional(v.array(analysisAnswer)),
  decline_reason: v.optional(textOrNull),
  user: v.optional(userAnswer),
  company: v.optional(companyAnswer),
})

/** A decision of an operator, or a remark. */
export const decisionAnswer = v.strictObject({
  decision_id: id,
  analysis_ids: v.pipe(v.array(id), v.description('The analyses that it decides; none of a remark')),
  status: v.pipe(textOrNull, v.description('SUCCESS or DECLINED; a remark may have another word')),
  reason_code: v.nullable(v.picklist(decisionReasons)),
  comment: text,
  author_id: id,
  author_email: v.pipe(textOrNull, v.description('null unless the caller may read that user')),
  resolution_state_hash: v.pipe(textOrNull, v.description('The state of the folder that was decided on')),
  is_effective: v.pipe(v.boolean(), v.description('false while a second person must agree')),
  time_created: time,
})

export const queueEntryAnswer = v.strictObject({
  folder_id: id,
  company_id: idOrNull,
  analyses: v.pipe(
    v.strictObject({ OPERATOR_REQUIRED: count, DECLINED: count, FAILED: count }),
    v.description('Analyses without a decision, by their result'),
  ),
  time_waiting: v.pipe(timeOrNull, v.description('When the oldest of them was requested')),
  viewer_id: v.pipe(idOrNull, v.description('The operator who looks at it')),
  viewer_email: v.pipe(textOrNull, v.description('null unless the caller may read that user')),
  viewed_until: timeOrNull,
})

export const queueAnswer = v.strictObject({
  ...listOf(queueEntryAnswer).entries,
  analyses_count: v.pipe(count, v.description('Analyses that wait, on all pages')),
  time_oldest: timeOrNull,
})
