/** What is aimed at on a quiet machine of two cores, printed beside what is measured (docs/speed.md). */
export const aims = {
  photoOf12MegapixelsMs: 200,
  /** Best shot and thumbnail of a photo. */
  shotsMs: 10,
  /** How many times as long as we others take at least, by contender without its version. */
  timesOurs: [
    { contender: 'human', photo: ' 853×1280', times: 3 },
    { contender: 'face-api', photo: ' 853×1280', times: 7 },
    { contender: 'vivace, native onnxruntime', photo: ' 853×1280', times: 0.83 },
    { contender: 'vivace, native onnxruntime and sharp', photo: ' 12 megapixels', times: 0.5 },
  ],
  requestsPerMinute: 2000,
  oneWorkerMegabytes: 250,
  moreWorkersMegabytes: 60,
  startPeakMegabytes: 350,
  startMs: 1000,
  /** Of an isolate, from the start of its process until its first answer. */
  isolateFirstProcessorMs: 1000,
  isolateMegabytes: { '0.8 megapixels': 60, '12 megapixels': 90 },
  /** First answer of a server, in later ones. */
  firstAnswerShare: 1.5,
  /** A clip of 5 s of H.264 in 720p. */
  clipMs: 1000,
  clipsPerMinute: 120,
  /** Of mixed work: the highest, and after a rest. */
  mixedMegabytes: 450,
  restMegabytes: 280,
  /** 1:N search in so many templates. */
  searchP95Ms: { 100000: 5, 1000000: 40 },
} as const
