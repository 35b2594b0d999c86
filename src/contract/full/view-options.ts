import { linkBase, type Settings } from '../../settings.ts'
import type { ViewOptions } from './media-view.ts'

/** How folders are shown, to callers and in webhooks. */
export const viewOptions = (
  settings: Settings,
  variant: ViewOptions['variant'],
  pictures: boolean,
): ViewOptions => ({
  showReplay: settings.confidenceReplayEnabled,
  showLiveness: settings.confidenceLivenessEnabled,
  variant,
  pictures,
  linkTo: (file) => `${linkBase(settings)}/${file}`,
})
