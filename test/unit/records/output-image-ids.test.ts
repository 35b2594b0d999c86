import { describe, expect, it } from 'vitest'
import { analysisIdsOf, outputImageId } from '../../../src/records/analysis.ts'
import { shotKinds } from '../../../src/records/medium.ts'
import { isUuid } from '../../../src/uuid.ts'

describe.each(['0123ab67-89ab-4def-8123-456789ab0000', '0123ab67-89ab-4def-8123-456789abffff'])(
  'the pictures of the analysis %s',
  (analysisId) => {
    const ids = Array.from({ length: 100 }, (_, place) =>
      shotKinds.map((kind) => outputImageId(analysisId, place, kind)),
    ).flat()

    it('have ids of their own', () => {
      expect(ids.every(isUuid)).toBe(true)
      expect(new Set([analysisId, ...ids]).size).toBe(ids.length + 1)
    })

    it('lead to it by their ids', () => {
      for (const id of ids) {
        const { first, last } = analysisIdsOf(id)
        expect([isUuid(first), isUuid(last), first <= analysisId && analysisId <= last]).toEqual([
          true,
          true,
          true,
        ])
      }
    })
  },
)
