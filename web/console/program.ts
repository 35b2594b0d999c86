/** Short names of programs. */

const browsers = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const

const systems = [
  [/Windows/, 'Windows'],
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const

/** Browser and system of a User-Agent, or the text itself if it is of none that are known. */
export function programOf(text: string): string {
  const [browser, system] = [browsers, systems].map((names) => names.find(([form]) => form.test(text))?.[1])
  return browser && system ? `${browser}, ${system}` : text
}
