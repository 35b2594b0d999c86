import { quoted, type SampleCall, type SamplePart, tokenHeader } from './call.ts'

/** A verbatim text, whose quotes are doubled. */
const raw = (text: string): string => `@"${text.replaceAll('"', '""')}"`

const add = (part: SamplePart): string =>
  'file' in part
    ? `form.Add(new StreamContent(File.OpenRead(${quoted(part.file)})), ${quoted(part.name)}, ${quoted(part.file)});`
    : `form.Add(new StringContent(${raw(part.text)}), ${quoted(part.name)});`

/** A program of .NET 6 or later. */
export function toCSharp({ method, url, isAuthorized, type, body }: SampleCall): string {
  const parts = body && 'parts' in body ? body.parts : null
  const content = !body
    ? null
    : 'text' in body
      ? `new StringContent(${raw(body.text)})`
      : 'file' in body
        ? `new StreamContent(File.OpenRead(${quoted(body.file)}))`
        : 'form'
  return [
    'using System.Net.Http.Headers;',
    '',
    'using var client = new HttpClient();',
    `var request = new HttpRequestMessage(new HttpMethod(${quoted(method)}), ${quoted(url)});`,
    ...(isAuthorized
      ? [`request.Headers.Add("${tokenHeader}", Environment.GetEnvironmentVariable("VIVACE_TOKEN"));`]
      : []),
    ...(parts ? ['var form = new MultipartFormDataContent();', ...parts.map(add)] : []),
    ...(content ? [`request.Content = ${content};`] : []),
    ...(type && content
      ? [`request.Content.Headers.ContentType = MediaTypeHeaderValue.Parse(${quoted(type)});`]
      : []),
    'var answer = await client.SendAsync(request);',
    'Console.WriteLine($"{(int)answer.StatusCode} {await answer.Content.ReadAsStringAsync()}");',
  ].join('\n')
}
