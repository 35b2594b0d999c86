/** A plugin of esbuild. */
import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/** Style sheets that a script imports become minified text: a shadow root adopts them. */
export const styleText: Plugin = {
  name: 'style-text',
  setup({ onLoad, esbuild }) {
    onLoad({ filter: /\.css$/ }, async ({ path: file }) => {
      const { code } = await esbuild.transform(await readFile(file, 'utf8'), { loader: 'css', minify: true })
      return { contents: code.trim(), loader: 'text' }
    })
  },
}
