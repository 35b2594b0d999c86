import { downloadLines, type SampleCall } from './call.ts'
import { toCSharp } from './csharp.ts'
import { toCurl } from './curl.ts'
import { toGo } from './go.ts'
import { toJava } from './java.ts'
import { toPhp } from './php.ts'
import { toPython } from './python.ts'
import { toTypeScript } from './typescript.ts'

const afterDownloads =
  (mark: string, write: (call: SampleCall) => string) =>
  (call: SampleCall): string =>
    [...downloadLines(mark, call), write(call)].join('\n')

/** What a call is shown as, by the name of the language. */
export const languages: Readonly<Record<string, (call: SampleCall) => string>> = {
  curl: afterDownloads('', toCurl),
  TypeScript: afterDownloads('// ', toTypeScript),
  Python: afterDownloads('# ', toPython),
  Java: afterDownloads('// ', toJava),
  Go: afterDownloads('// ', toGo),
  PHP: toPhp,
  'C#': afterDownloads('// ', toCSharp),
}
