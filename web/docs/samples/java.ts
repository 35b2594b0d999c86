import { quoted, rawOr, type SampleCall, type SamplePart, tokenHeader } from './call.ts'

/** A text block begins on a new line, and its lines lose the indent that all have. */
const raw = (text: string): string =>
  rawOr(
    text,
    '"""\n',
    '"""',
    !/\\|"""|"$|^\s|[ \t\r]$|[ \t\r]\n|\n[ \t]*$/.test(text) && text !== '',
    quoted(text),
  )

/** A name in a header of a form, as browsers write it, within a text of Java. */
const inHeader = (name: string): string =>
  quoted(`"${name.replaceAll('"', '%22').replaceAll(/[\r\n]/g, '_')}"`).slice(1, -1)

const addPart = (part: SamplePart): string[] => {
  const isFile = 'file' in part
  const fileName = isFile ? `; filename=${inHeader(part.file)}` : ''
  const head = `"\\r\\nContent-Disposition: form-data; name=${inHeader(part.name)}${fileName}\\r\\n\\r\\n"`
  return [
    `body.add(("--" + boundary + ${head}).getBytes(UTF_8));`,
    `body.add(${isFile ? `Files.readAllBytes(Path.of(${quoted(part.file)}))` : `${raw(part.text)}.getBytes(UTF_8)`});`,
    'body.add("\\r\\n".getBytes(UTF_8));',
  ]
}

/** A file for Java 17, which runs as `java Call.java`. */
export function toJava({ method, url, isAuthorized, type, body }: SampleCall): string {
  const parts = body && 'parts' in body ? body.parts : null
  const contentType = parts ? '"multipart/form-data; boundary=" + boundary' : type && quoted(type)
  const publisher = !body
    ? 'BodyPublishers.noBody()'
    : 'text' in body
      ? `BodyPublishers.ofString(${raw(body.text)})`
      : 'file' in body
        ? `BodyPublishers.ofFile(Path.of(${quoted(body.file)}))`
        : 'BodyPublishers.ofByteArrays(body)'
  const main = [
    ...(parts
      ? [
          'var boundary = UUID.randomUUID().toString();',
          'var body = new ArrayList<byte[]>();',
          ...parts.flatMap(addPart),
          'body.add(("--" + boundary + "--\\r\\n").getBytes(UTF_8));',
        ]
      : []),
    `var request = HttpRequest.newBuilder(URI.create(${quoted(url)}))`,
    ...(isAuthorized ? [`    .header("${tokenHeader}", System.getenv("VIVACE_TOKEN"))`] : []),
    ...(contentType ? [`    .header("Content-Type", ${contentType})`] : []),
    `    .method(${quoted(method)}, ${publisher})`,
    '    .build();',
    'var answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());',
    'System.out.println(answer.statusCode() + " " + answer.body());',
  ]
  return [
    'import static java.nio.charset.StandardCharsets.UTF_8;',
    '',
    'import java.net.URI;',
    'import java.net.http.*;',
    'import java.net.http.HttpRequest.BodyPublishers;',
    'import java.net.http.HttpResponse.BodyHandlers;',
    'import java.nio.file.*;',
    'import java.util.*;',
    '',
    'public class Call {',
    '  public static void main(String[] arguments) throws Exception {',
    // The lines of a text block stay where they are.
    ...main.map((line) => `    ${line}`),
    '  }',
    '}',
  ].join('\n')
}
