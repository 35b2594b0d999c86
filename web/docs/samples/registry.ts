import type { SampleCall } from './call.ts'
import { toCSharp } from './csharp.ts'
import { toCurl } from './curl.ts'
import { toGo } from './go.ts'
import { toJava } from './java.ts'
import { toPhp } from './php.ts'
import { toPython } from './python.ts'
import { toTypeScript } from './typescript.ts'

/** What a call is shown as, by the name of the language. */
export const languages: Readonly<Record<string, (call: SampleCall) => string>> = {
  curl: toCurl,
  TypeScript: toTypeScript,
  Python: toPython,
  Java: toJava,
  Go: toGo,
  PHP: toPhp,
  'C#': toCSharp,
}
