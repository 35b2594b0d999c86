/** Reports of folders and their templates. */
import { viewOptions } from '../contract/full/view-options.ts'
import type { KeptMedia } from '../folders/kept-media.ts'
import type { RecordFiles } from '../folders/record-files.ts'
import type { Persistence, Platform } from '../platform/platform.ts'
import { ReportService } from '../reports/report-service.ts'
import { ReportTemplateService } from '../reports/report-template-service.ts'
import type { Settings } from '../settings.ts'
import { softwareVersion } from '../version.ts'
import type { Stores } from './stores.ts'

export function composeReports(
  { nowMs, randomId }: Platform,
  settings: Settings,
  { reports, reportTemplates, companies, decisions, media }: Stores,
  { writePdf }: Persistence,
  files: RecordFiles,
  keptMedia: KeptMedia,
) {
  const templates = new ReportTemplateService({ templates: reportTemplates, nowMs, randomId })
  return {
    reportTemplates: templates,
    reports: new ReportService({
      reports,
      decisionsOn: (folderId) => decisions.all(folderId),
      templates,
      files,
      ensureSnapshot: ({ id }, medium) =>
        keptMedia.ensureSnapshot(id, medium, (also) => media.hold(medium.id, also)),
      findCompany: (id) => companies.find(id),
      writePdf,
      options: viewOptions(settings, 'full', false),
      version: softwareVersion,
      nowMs,
      randomId,
    }),
  }
}
