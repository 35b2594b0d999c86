/** Why an analysis does not end with success: a closed list of codes, each with a sentence and what to do. */
type Type = 'liveness' | 'verification' | 'identification' | 'documents'

interface ReasonText {
  /** The types of analyses that give it. */
  of: readonly Type[]
  /** What was found: a sentence. */
  message: string
  /** What to do about it: a sentence. */
  advice: string
}

const faces: readonly Type[] = ['liveness', 'verification', 'identification']
const all: readonly Type[] = [...faces, 'documents']

const askAgain = 'Ask for another capture with the camera; if it happens again, refuse.'

/** What impairs a sample, by the words of its quality. */
const samples = {
  grey: {
    of: faces,
    message: 'The picture has no colours.',
    advice: 'Take a colour picture in daylight or white light, without a filter.',
  },
  dark: { of: faces, message: 'The face is too dark.', advice: 'Turn towards a light.' },
  bright: {
    of: faces,
    message: 'The face is overexposed.',
    advice: 'Go out of direct sun or lamp light.',
  },
  small: {
    of: faces,
    message: 'The face is too small.',
    advice: 'Come closer to the camera, or send the picture in its original size.',
  },
  compressed: {
    of: faces,
    message: 'The picture is compressed too much.',
    advice: 'Send the picture as the camera took it, not through a messenger.',
  },
  soft: { of: faces, message: 'The picture is blurred.', advice: 'Hold still, and clean the lens.' },
  noisy: { of: faces, message: 'The picture is grainy.', advice: 'Find more light.' },
  tight: {
    of: faces,
    message: 'The face fills the picture.',
    advice: 'Move back a little: leave room around the whole head, and do not crop the picture.',
  },
} as const satisfies Record<string, ReasonText>

/** A defect of a sample. */
export type PoorReason = keyof typeof samples

export const isPoorReason = (code: string): code is PoorReason => Object.hasOwn(samples, code)

/** All reasons, the gravest first: answers list them in this order. */
export const reasonTexts = {
  identity_changes: {
    of: faces,
    message: 'The clip does not show one person from start to end.',
    advice: askAgain,
  },
  picture_moved: {
    of: ['liveness'],
    message: 'The face moves like a flat picture that is held in front of the camera.',
    advice: askAgain,
  },
  picture_animated: {
    of: ['liveness'],
    message: 'The movement of the face repeats itself like an animation.',
    advice: askAgain,
  },
  picture_bent: {
    of: ['liveness'],
    message: 'The face moves like a picture that is bent or warped.',
    advice: askAgain,
  },
  pictures_blended: {
    of: ['liveness'],
    message: 'The face changes like photos that fade into each other.',
    advice: askAgain,
  },
  light_moved: {
    of: ['liveness'],
    message: 'Light moves over the face as over a picture.',
    advice: askAgain,
  },
  picture_held: {
    of: ['liveness'],
    message: 'The face looks like a print or a screen, and holds still.',
    advice: 'Ask for a clip with a gesture, such as a turn of the head.',
  },
  screen_suspected: {
    of: ['liveness'],
    message: 'The face looks like one on a screen.',
    advice: askAgain,
  },
  print_or_screen: {
    of: ['liveness'],
    message: 'The face looks like a print or a screen rather than a person in front of the camera.',
    advice: 'Ask for a clip instead of a photo, or for another capture with the camera.',
  },
  movement_doubtful: {
    of: ['liveness'],
    message: 'The face moves less like a living one than the request demands.',
    advice: 'Ask for a clip in which the person blinks, smiles or turns the head.',
  },
  attack_suspected: {
    of: ['liveness'],
    message: 'There are signs of an attack.',
    advice: askAgain,
  },
  gesture_missing: {
    of: ['liveness'],
    message: 'The medium does not show the gesture that its tags name.',
    advice: 'Ask for the gesture again.',
  },
  challenge_contradicted: {
    of: ['liveness'],
    message: 'What was recorded contradicts the challenge of its session.',
    advice: 'Start a new session, and record again.',
  },
  challenge_missed: {
    of: ['liveness'],
    message: 'The clip does not show what its session asked for.',
    advice: 'Start a new session, and record again.',
  },
  different_people: {
    of: ['verification'],
    message: 'The faces are of different people.',
    advice: 'Refuse, or have a person compare the pictures.',
  },
  person_listed: {
    of: ['identification'],
    message: 'The person is in the collection.',
    advice: 'Compare the picture with the photo of the hit.',
  },
  check_digits_wrong: {
    of: ['documents'],
    message: 'Check digits of the machine-readable zone are wrong.',
    advice: 'Compare the zone with the document; if it is printed so, refuse.',
  },
  document_expired: {
    of: ['documents'],
    message: 'The document has expired.',
    advice: 'Ask for a valid document.',
  },
  dates_contradict: {
    of: ['documents'],
    message: 'The dates of the document contradict each other.',
    advice: 'Compare the dates with the document.',
  },
  printed_dates_impossible: {
    of: ['documents'],
    message: 'A printed date cannot be.',
    advice: 'Compare the dates with the document.',
  },
  fields_contradict: {
    of: ['documents'],
    message: 'The printed page and the machine-readable zone differ.',
    advice: 'Compare the fields that do not pass with the document.',
  },
  document_contradicts: {
    of: ['documents'],
    message: 'The document contradicts itself.',
    advice: 'Look at the document.',
  },
  containers_not_analysed: {
    of: all,
    message: 'This server does not analyse media of secure containers.',
    advice: 'Set SVC_CONTAINER_ANALYSIS_ENABLED, or send the media in a form.',
  },
  similarity_uncertain: {
    of: ['verification'],
    message: 'The faces are neither clearly alike nor clearly different.',
    advice: 'Have a person compare the pictures.',
  },
  similar_person_listed: {
    of: ['identification'],
    message: 'A person of the collection looks similar.',
    advice: 'Have a person compare the picture with the photo of the hit.',
  },
  collection_incomplete: {
    of: ['identification'],
    message: 'Some photos of the collection could not be compared.',
    advice: 'Search again later, or look through the collection.',
  },
  several_documents: {
    of: ['documents'],
    message: 'The pictures seem to show more than one document.',
    advice: 'Send the pictures of one document.',
  },
  document_unproven: {
    of: ['documents'],
    message: 'No machine-readable zone proves what was read.',
    advice: 'Send the side with the zone too, or have a person look at the document.',
  },
  expiry_unsure: {
    of: ['documents'],
    message: 'It is not certain that the document is still valid.',
    advice: 'Look at its date of expiry.',
  },
  dates_unsure: {
    of: ['documents'],
    message: 'It is not certain that the dates of the document fit together.',
    advice: 'Compare the dates with the document.',
  },
  field_unread: {
    of: ['documents'],
    message: 'A field that must be checked was not read.',
    advice: 'Send a sharp picture of the side that has it.',
  },
  fields_unsure: {
    of: ['documents'],
    message: 'Not everything was read with certainty.',
    advice: 'Compare the fields that do not pass with the document, or send a sharper picture.',
  },
  no_face: {
    of: faces,
    message: 'No face was found.',
    advice: 'Take a picture with the whole face in good light.',
  },
  several_faces: {
    of: faces,
    message: 'More than one face was found.',
    advice: 'Take a picture of one person alone.',
  },
  same_picture: {
    of: ['verification'],
    message: 'The same picture was sent twice.',
    advice: 'Send two pictures that were taken separately.',
  },
  no_challenge: {
    of: ['liveness'],
    message: 'Nothing shows that the medium answers a challenge.',
    advice: 'Capture a clip with a session token, and send it in a secure container.',
  },
  challenge_unclear: {
    of: ['liveness'],
    message: 'The clip does not tell whether it answers the challenge of its session.',
    advice:
      'Record again: in less light, nearer when asked, with a steady hand and the whole face in the picture.',
  },
  photo_not_clip: {
    of: ['liveness'],
    message: 'A photo cannot show whether the face moves.',
    advice: 'Send a clip of three to five seconds.',
  },
  face_still: {
    of: ['liveness'],
    message: 'The face holds too still to tell whether it moves by itself.',
    advice: 'Blink, smile or turn the head a little.',
  },
  turned_away: {
    of: faces,
    message: 'Too few frames of the clip show one face from the front.',
    advice: 'Look into the camera for most of the clip.',
  },
  face_rarely_seen: {
    of: ['liveness'],
    message: 'The face is seen in too few frames of the clip.',
    advice: 'Keep the face in the picture for the whole clip.',
  },
  too_few_frames: {
    of: ['liveness'],
    message: 'The clip has too few frames.',
    advice: 'Send a clip of three to five seconds.',
  },
  face_small_in_clip: {
    of: ['liveness'],
    message: 'The face is too small in the clip to tell whether it moves by itself.',
    advice: 'Come closer to the camera.',
  },
  too_small_to_compare: {
    of: ['verification', 'identification'],
    message: 'The face is too small to be compared.',
    advice: 'Come closer to the camera; scan a document larger.',
  },
  ...samples,
  no_document: {
    of: ['documents'],
    message: 'No document was found.',
    advice: 'Take a picture of the whole page, without glare.',
  },
  no_zone: {
    of: ['documents'],
    message: 'The document has no machine-readable zone, and this server reads no printed text.',
    advice: 'Send the side with the zone.',
  },
  clip_not_photo: {
    of: ['documents'],
    message: 'Documents are read on photos, not on clips.',
    advice: 'Send a photo of the document.',
  },
  zone_unreadable: {
    of: ['documents'],
    message: 'The machine-readable zone cannot be read.',
    advice: 'Take a sharp picture that shows all of it, without glare.',
  },
  timed_out: { of: all, message: 'The analysis took too long.', advice: 'Request it again.' },
  attempts_failed: {
    of: all,
    message: 'The analysis could not be carried out.',
    advice: 'Send the medium again; the log has the cause.',
  },
  medium_removed: {
    of: all,
    message: 'A medium of the analysis no longer exists.',
    advice: 'Send it again.',
  },
  collection_removed: {
    of: ['identification'],
    message: 'The collection of the analysis no longer exists.',
    advice: 'Name another collection.',
  },
  data_removed: {
    of: all,
    message: 'Personal data of the folder was removed before the analysis ended.',
    advice: 'Nothing can be done: start a new folder.',
  },
  undecided: {
    of: all,
    message: 'The analysis came to no decision.',
    advice: 'The message of the error says why.',
  },
} as const satisfies Record<string, ReasonText>

export type ReasonCode = keyof typeof reasonTexts

/** The gravest first. */
export const reasonCodes = Object.keys(reasonTexts) as ReasonCode[]

/** A reason with the media that it concerns; empty if it concerns none alone. */
export interface Reason {
  code: ReasonCode
  mediumIds: readonly string[]
}

/** Each code once, with all its media, the gravest first. */
export function sortReasons(reasons: readonly Reason[]): Reason[] {
  return reasonCodes.flatMap((code) => {
    const same = reasons.filter((reason) => reason.code === code)
    return same.length === 0
      ? []
      : [{ code, mediumIds: [...new Set(same.flatMap(({ mediumIds }) => mediumIds))] }]
  })
}
