import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listEncodings } from './encodings.ts'
import type { World } from './world.ts'

/** Lists every string in a value, including strings in embedded JSON. Skips the CSR field, because people may see their own CSR. */
function collectStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value, ...collectJsonStrings(value)]
  if (Array.isArray(value)) return value.flatMap(collectStrings)
  if (typeof value !== 'object' || value === null) return []
  if ('block_id' in value && value.block_id === 'csr') return []
  return Object.entries(value).flatMap(([key, member]) => [key, ...collectStrings(member)])
}

function collectJsonStrings(text: string): string[] {
  if (!/^[[{]/.test(text)) return []
  try {
    return collectStrings(JSON.parse(text))
  } catch {
    return []
  }
}

/** Lists the strings in everything that the app sent to Slack, except in the headers of its calls, which contain the bot token. */
export async function listSentStrings(world: World): Promise<string[]> {
  const deliveries = await world.slack.deliveries()
  return deliveries.flatMap(({ direction, request, response }) =>
    direction === 'from-app'
      ? [request.url, ...collectCallStrings(request.body)]
      : [...collectStrings(response?.headers), ...collectStrings(response?.body)],
  )
}

/**
 * Lists the strings in the body of a Web API call. Blocks are sent as one JSON string. If they have a CSR field, that JSON string is
 * left out, but the strings inside it are listed, except the CSR.
 */
function collectCallStrings(body: unknown): string[] {
  return collectStrings(body).filter((text) => !(/^[[{]/.test(text) && text.includes('"block_id":"csr"')))
}

/** Returns the names of the secrets that the text contains in any encoding. */
export function findLeaks(text: string, secrets: Readonly<Record<string, string>>): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) =>
    listEncodings(secret).some((encoding) => text.includes(encoding)) ? [name] : [],
  )
}

export function readFolderText(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
    .join('\n')
}
