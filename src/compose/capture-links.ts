/** Links to `/capture`. */
import { toPrincipal } from '../accounts/sessions.ts'
import { type CaptureLinkDeps, CaptureLinkService } from '../folders/capture-link-service.ts'
import type { FolderService } from '../folders/folder-service.ts'
import { Authority } from '../identity/authority.ts'
import { randomBytes } from '../identity/passwords.ts'
import type { Platform } from '../platform/platform.ts'
import type { Stores } from './stores.ts'

export const composeCaptureLinks = (
  { nowMs, randomId }: Platform,
  { captureLinks, users }: Stores,
  folders: FolderService,
  hooks: CaptureLinkDeps['hooks'],
): CaptureLinkService =>
  new CaptureLinkService({
    links: captureLinks,
    folders,
    hooks,
    async authorOf(userId) {
      const user = await users.find(userId)
      return user?.isActive ? new Authority(toPrincipal(user, null)) : null
    },
    randomBytes,
    randomId,
    nowMs,
  })
