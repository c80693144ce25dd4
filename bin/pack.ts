import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const ROOT = join(import.meta.dirname, '..')

/**
 * Packs the app, and returns the path of the file. The program is one file that contains its
 * dependencies, so the packed manifest lists none, and no scripts: installing it downloads and runs nothing. npm can't leave them out by itself, so what it
 * packed is unpacked, changed, and packed again.
 */
function pack(destination: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalman-pack-'))
  try {
    const run = (command: string, args: string[], cwd: string) =>
      execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
    const options = ['pack', '--silent', '--pack-destination']
    const packed =
      run('npm', [...options, folder], ROOT)
        .split('\n')
        .at(-1) ?? ''
    run('tar', ['-xzf', packed], folder)
    const content = join(folder, 'package')
    const path = join(content, 'package.json')
    const { dependencies, devDependencies, workspaces, allowScripts, scripts, ...manifest } = JSON.parse(
      readFileSync(path, 'utf8'),
    )
    writeFileSync(path, `${JSON.stringify(manifest, undefined, 2)}\n`)
    return join(destination, run('npm', [...options, destination, '--ignore-scripts'], content))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** `pack.ts [--to FOLDER]` */
const { values } = parseArgs({
  options: { to: { type: 'string', default: '.' } },
})
const destination = resolve(values.to)
await mkdir(destination, { recursive: true })
process.stdout.write(`${pack(destination)}\n`)
