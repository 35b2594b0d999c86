import { downloadLines, type SampleCall, type SamplePart, tokenHeader } from './call.ts'

const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`

const toEntry = (part: SamplePart): string =>
  `        ${quoted(part.name)} => ${'file' in part ? `new CURLFile(${quoted(part.file)})` : quoted(part.text)},`

/** With the extension `curl`. */
export function toPhp({ method, url, isAuthorized, type, body, downloads }: SampleCall): string {
  const headers = [
    ...(isAuthorized ? [`'${tokenHeader}: ' . getenv('VIVACE_TOKEN')`] : []),
    ...(type ? [quoted(`Content-Type: ${type}`)] : []),
  ]
  const sent = !body
    ? []
    : 'text' in body
      ? [`    CURLOPT_POSTFIELDS => ${quoted(body.text)},`]
      : 'file' in body
        ? [`    CURLOPT_POSTFIELDS => file_get_contents(${quoted(body.file)}),`]
        : ['    CURLOPT_POSTFIELDS => [', ...body.parts.map(toEntry), '    ],']
  return [
    '<?php',
    ...downloadLines('// ', { downloads }),
    `$call = curl_init(${quoted(url)});`,
    'curl_setopt_array($call, [',
    `    CURLOPT_CUSTOMREQUEST => ${quoted(method)},`,
    '    CURLOPT_RETURNTRANSFER => true,',
    ...(headers.length > 0 ? [`    CURLOPT_HTTPHEADER => [${headers.join(', ')}],`] : []),
    ...sent,
    ']);',
    '$answer = curl_exec($call);',
    "echo curl_getinfo($call, CURLINFO_RESPONSE_CODE), ' ', $answer, PHP_EOL;",
  ].join('\n')
}
