/** The templates that every company has. */
import type { ReportTemplate } from '../records/report.ts'

const styles = `
  body { font: 14px/1.45 "Noto Sans", "Segoe UI", Arial, sans-serif; color: #1c2430; max-width: 880px; margin: 32px auto; padding: 0 24px; }
  h1 { font-size: 24px; margin: 0; }
  h2 { font-size: 16px; margin: 32px 0 8px; padding-bottom: 4px; border-bottom: 1px solid #c4ccd6; }
  h3 { font-size: 14px; margin: 20px 0 6px; }
  header { display: flex; justify-content: space-between; align-items: baseline; border-bottom: 3px solid #23405f; padding-bottom: 10px; }
  table { border-collapse: collapse; width: 100%; table-layout: fixed; overflow-wrap: anywhere; }
  th { text-align: left; background: #eef1f5; font-weight: 600; }
  th, td { padding: 4px 8px; border-bottom: 1px solid #dde2e8; vertical-align: top; }
  .facts th { width: 200px; background: none; font-weight: 400; color: #56616f; }
  .verdict { margin: 20px 0; padding: 12px 16px; border-left: 6px solid #8a6d1d; background: #faf5e6; }
  .SUCCESS { border-color: #1e7a46; background: #eaf6ef; }
  .DECLINED, .FAILED { border-color: #b3261e; background: #fbeceb; }
  .verdict strong { font-size: 18px; }
  figure { display: inline-block; margin: 8px 16px 8px 0; vertical-align: top; }
  figure img { max-width: 260px; max-height: 260px; display: block; border: 1px solid #c4ccd6; }
  figcaption, footer, .note { color: #56616f; font-size: 12px; }
  footer { margin-top: 32px; border-top: 1px solid #c4ccd6; padding-top: 8px; }
  @media print { body { margin: 0; max-width: none; } tr, figure { break-inside: avoid; } }
`

const html = `<html lang="en">
<head>
<title>Report of folder {{folder.id}}</title>
<style>${styles}</style>
</head>
<body>
<header><h1>Verification report</h1><span>{{folder.company_name}}</span></header>
<div class="verdict {{folder.resolution}}"><strong>{{folder.verdict}}</strong> by {{folder.decided_by}}
{{#folder.operator_remark}}<br>Operator: {{folder.operator_remark}}{{/folder.operator_remark}}
<br>The service: {{folder.system_verdict}}. {{folder.meaning}}</div>
<table class="facts">
{{#folder.reference}}<tr><th scope="row">Reference</th><td>{{folder.reference}}</td></tr>{{/folder.reference}}
<tr><th scope="row">Folder</th><td>{{folder.id}}</td></tr>
<tr><th scope="row">Company</th><td>{{folder.company_name}} {{folder.company_id}}</td></tr>
<tr><th scope="row">Owner</th><td>user {{folder.user_id}}</td></tr>
<tr><th scope="row">Folder created</th><td>{{folder.time_created}}</td></tr>
<tr><th scope="row">Folder changed</th><td>{{folder.time_updated}}</td></tr>
<tr><th scope="row">Report</th><td>{{report.id}}</td></tr>
<tr><th scope="row">Report generated</th><td>{{report.time_created}}</td></tr>
</table>

<h2>Chosen data</h2>
<table class="facts">
{{#fields}}<tr><th scope="row">{{name}}</th><td>{{value}}</td></tr>
{{/fields}}</table>
{{^fields}}<p class="note">The folder has none of the chosen fields.</p>{{/fields}}
<h2>Analyses</h2>
{{^analyses}}<p class="note">No analysis was requested.</p>{{/analyses}}
{{#analyses}}
<h3>{{number}}. {{title}}: {{verdict}}</h3>
<table class="facts">
<tr><th scope="row">Analysis</th><td>{{id}}</td></tr>
<tr><th scope="row">Decision of the service</th><td>{{system_verdict}}</td></tr>
{{#resolution_operator}}<tr><th scope="row">Decision of an operator</th><td>{{operator_verdict}} {{resolution_comment}}</td></tr>{{/resolution_operator}}
{{#error}}<tr><th scope="row">Failure</th><td>{{error}}</td></tr>{{/error}}
{{#reasons}}<tr><th scope="row">Reason</th><td>{{value}}</td></tr>
{{/reasons}}<tr><th scope="row">Media</th><td>{{media}}</td></tr>
{{#evidence}}<tr><th scope="row">{{name}}</th><td>{{value}}</td></tr>
{{/evidence}}</table>
<table>
<tr><th scope="col">Score</th><th scope="col">Media</th><th scope="col">Value</th><th scope="col">Required</th><th scope="col">Result</th></tr>
{{#scores}}<tr><td>{{label}}</td><td>{{media}}</td><td>{{score}}</td><td>{{required}}</td><td>{{state}}</td></tr>
{{/scores}}{{^scores}}<tr><td colspan="5">No scores</td></tr>
{{/scores}}</table>
{{/analyses}}
<h2>Media</h2>
{{^media}}<p class="note">The folder has no media.</p>{{/media}}
{{#media}}
<h3>Medium {{number}}: {{kind}}</h3>
{{#pictures}}<figure>{{#image}}<img src="{{image}}" alt="{{caption}}">{{/image}}{{^image}}<p class="note">This picture is not available.</p>{{/image}}<figcaption>{{caption}}</figcaption></figure>{{/pictures}}
<table class="facts">
<tr><th scope="row">Medium</th><td>{{id}}</td></tr>
{{#name}}<tr><th scope="row">File name</th><td>{{name}}</td></tr>{{/name}}
{{#tags}}<tr><th scope="row">Tags</th><td>{{tags}}</td></tr>{{/tags}}
<tr><th scope="row">File</th><td>{{type}}, {{dimensions}}, {{size}}</td></tr>
<tr><th scope="row">MD5</th><td>{{md5}}</td></tr>
<tr><th scope="row">Received</th><td>{{time_created}}</td></tr>
{{#evidence}}<tr><th scope="row">{{name}}</th><td>{{value}}</td></tr>
{{/evidence}}</table>
{{/media}}
<h2>Trail of decisions</h2>
<table>
<tr><th scope="col">Time</th><th scope="col">Who</th><th scope="col">What</th><th scope="col">Comment</th></tr>
{{#decisions}}<tr><td>{{time}}</td><td>{{who}}</td><td>{{what}}</td><td>{{comment}}</td></tr>
{{/decisions}}</table>
<h2>Models</h2>
<table>
<tr><th scope="col">Analyses</th><th scope="col">Profile</th><th scope="col">Assurance</th><th scope="col">Networks</th></tr>
{{#models}}<tr><td>{{analyses}}</td><td>{{profile}}</td><td>{{assurance}}</td><td>{{networks}}</td></tr>
{{/models}}</table>
<footer>Folder {{folder.id}} · report {{report.id}} · generated {{report.time_created}} by Vivace {{service.version}} with the template {{report.template}}</footer>
</body>
</html>
`

/** The contract's names of fields that name a person. */
const metadataFields = ['client_iin', 'iin']

type ShippedTemplate = ReportTemplate & { html: string }

const shipped = (id: string, name: string, attachments: boolean): ShippedTemplate => ({
  ...{ id, companyId: null, name, attachments, metadataFields, html, createdAtMs: 0, updatedAtMs: 0 },
})

/** The first one is used if a request names none. */
export const shippedTemplates: readonly [ShippedTemplate, ...ShippedTemplate[]] = [
  shipped('00000000-0000-4000-8000-0000000a0001', 'Report with pictures', true),
  shipped('00000000-0000-4000-8000-0000000a0002', 'Report without pictures', false),
]
