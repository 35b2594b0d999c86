import { linkBase, type Settings, staticBase } from '../../settings.ts'
import type { ViewOptions } from './media-view.ts'

/** The view options that the settings define, for answers and webhooks. */
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
  linkToFrame: (file) => `${staticBase(settings)}/${file}`,
})
