/** What is aimed at on a quiet machine of two cores, printed beside what is measured (docs/speed.md). */
export const aims = {
  photoOf12MegapixelsMs: 200,
  requestsPerMinute: 2000,
  oneWorkerMegabytes: 250,
  moreWorkersMegabytes: 60,
  startPeakMegabytes: 350,
  startMs: 1000,
  /** First answer of a server, in later ones. */
  firstAnswerShare: 1.5,
  /** A clip of 5 s of H.264 in 720p. */
  clipMs: 1000,
  clipsPerMinute: 120,
  /** 1:N search in so many templates. */
  searchP95Ms: { 100000: 5, 1000000: 40 },
} as const
