import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { disguises } from './disguises.ts'
import type { World } from './world.ts'

/** Every string in a body, those in JSON inside of strings too. What a person typed into the CSR's field is theirs again. */
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

/** All that left the app, apart from what it must show to Slack itself: the bot's token, in its header. */
export async function sentBy(world: World): Promise<string[]> {
  const deliveries = await world.slack.deliveries()
  return deliveries.flatMap(({ direction, request, response }) =>
    direction === 'from-app'
      ? [request.url, ...stringsOfCall(request.body)]
      : [...stringsIn(response?.headers), ...stringsIn(response?.body)],
  )
}

/** A Web API call as a form holds its blocks as JSON in a string: only what is inside counts, or the CSR's field would. */
function stringsOfCall(body: unknown): string[] {
  return stringsIn(body).filter((text) => !(/^[[{]/.test(text) && text.includes('"block_id":"csr"')))
}

/** The names of the secrets that the text holds, in whatever disguise. */
export function leaks(text: string, secrets: Readonly<Record<string, string>>): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) =>
    disguises(secret).some((disguise) => text.includes(disguise)) ? [name] : [],
  )
}

/** Every file of a folder as one text of single bytes. */
export function databaseText(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
    .join('\n')
}
