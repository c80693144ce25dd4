import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

/**
 * Copies the example app into a new folder and names the copy after the folder. Returns a message with the next steps. Throws if
 * the folder isn't empty.
 */
export function createApp(example: string, target: string | undefined, version: string): string {
  if (target === undefined || target === '')
    throw new Error('Add a folder for the new app. For example: npx @signalman/playground new hello-slack')
  const folder = resolve(target)
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`${target} isn’t empty. Choose another folder for the new app.`)
  cpSync(example, folder, { recursive: true })
  const packagePath = join(folder, 'package.json')
  const packageJson = JSON.parse(readFileSync(packagePath, 'utf8'))
  packageJson.name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
  packageJson.devDependencies['@signalman/playground'] = `^${version}`
  writeFileSync(packagePath, `${JSON.stringify(packageJson, undefined, 2)}\n`)
  return `Created ${target}. Next:\n\n  cd ${target}\n  npm install\n  npm test\n  npm run dev\n`
}
