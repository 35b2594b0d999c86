/** Ends the process on a release of Node that is too old: such releases fail later, with errors that do not tell why. */
const nodeVersionMin = [20, 19]

const [major, minor] = process.versions.node.split('.').map(Number)
const [majorMin, minorMin] = nodeVersionMin
if (major < majorMin || (major === majorMin && minor < minorMin)) {
  process.stderr.write(
    `Vivace needs Node ${nodeVersionMin.join('.')} or newer, and this is Node ${process.versions.node}: https://nodejs.org/en/download\n`,
  )
  process.exit(1)
}
