/**
 * Seals a container on the runtime that runs this file, and prints it as base64. The first argument is JSON: the session
 * token, the keys and a medium as base64.
 */
import { Buffer } from 'node:buffer'
import process from 'node:process'
import { sealContainer } from '../../../client/seal.ts'

const { sessionToken, keys, medium } = JSON.parse(process.argv[2] ?? '{}')
const sealed = await sealContainer({
  sessionToken,
  keys,
  payload: { analyses: [{ type: 'quality' }] },
  media: [
    {
      name: 'photo',
      bytes: Uint8Array.from(atob(medium), (letter) => letter.charCodeAt(0)),
      tags: ['photo_selfie'],
    },
  ],
})
process.stdout.write(Buffer.from(sealed).toString('base64'))
