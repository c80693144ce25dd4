import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { disguises } from './disguises.ts'
import type { World } from './world.ts'

/** Every string in a body, including those in JSON inside of strings. A person may see their own CSR in its field. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value, ...stringsInJson(value)]
  if (Array.isArray(value)) return value.flatMap(stringsIn)
  if (typeof value !== 'object' || value === null) return []
  if ('block_id' in value && value.block_id === 'csr') return []
  return Object.entries(value).flatMap(([key, each]) => [key, ...stringsIn(each)])
}

function stringsInJson(text: string): string[] {
  if (!/^[[{]/.test(text)) return []
  try {
    return stringsIn(JSON.parse(text))
  } catch {
    return []
  }
}

/** Everything that the app sent, except the bot token in the header of calls to Slack. */
export async function sentBy(world: World): Promise<string[]> {
  const deliveries = await world.slack.deliveries()
  return deliveries.flatMap(({ direction, request, response }) =>
    direction === 'from-app'
      ? [request.url, ...stringsOfCall(request.body)]
      : [...stringsIn(response?.headers), ...stringsIn(response?.body)],
  )
}

/**
 * A form of the Web API has its blocks as JSON in a string. Only the strings inside count, because the CSR's field would be found
 * otherwise.
 */
function stringsOfCall(body: unknown): string[] {
  return stringsIn(body).filter((text) => !(/^[[{]/.test(text) && text.includes('"block_id":"csr"')))
}

/** The names of the secrets in the text, in any encoding. */
export function leaks(text: string, secrets: Readonly<Record<string, string>>): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) =>
    disguises(secret).some((disguise) => text.includes(disguise)) ? [name] : [],
  )
}

/** The content of every file in a folder as one Latin-1 string. */
export function databaseText(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
    .join('\n')
}
