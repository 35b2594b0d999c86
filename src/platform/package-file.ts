/** Finds files of installed packages. */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)

/**
 * Path of a file of a package. A program of one file cannot be searched for packages, but has their files at their places.
 * @throws {Error} if the package is not installed
 */
export function packageFile(file: string): string {
  try {
    return require.resolve(file)
  } catch {
    return require.resolve(fileURLToPath(new URL(`../../node_modules/${file}`, import.meta.url)))
  }
}

export function hasPackageFile(file: string): boolean {
  try {
    return packageFile(file) !== ''
  } catch {
    return false
  }
}
