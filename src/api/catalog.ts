import type { Http } from './http.ts'
import { asRecord } from './parts.ts'
import { parseIfJson, type Read, Unreadable } from './read.ts'
import { asText } from './scalars.ts'

/** Something of the service that an order names by its id. */
export interface Named {
  readonly id: string
  readonly name: string
}

export type Catalog = ReturnType<typeof catalog>

/**
 * What can be ordered and for whom, in the order given. No part of the interface: a public client of the same service shows
 * both lists (read in November 2026), so a caller must do without them. Each throws ApiError.
 */
export function catalog(http: Http) {
  return {
    products: (signal?: AbortSignal): Promise<Named[]> =>
      http.get('/ssl/v2/products', { read: readNamed, signal }),
    organizations: (signal?: AbortSignal): Promise<Named[]> =>
      http.get('/ssl/v2/organizations', { read: readNamed, signal }),
  }
}

/** A JSON:API list; what has no id is left out, and what has no name is called by its id. */
const readNamed: Read<Named[]> = (text) => {
  const list = asRecord(parseIfJson(text))?.data
  if (!Array.isArray(list)) throw new Unreadable('data: not a list')
  return list.flatMap((item: unknown) => {
    const record = asRecord(item)
    const id = asText(record?.id)
    return id ? [{ id, name: asText(asRecord(record?.attributes)?.name) || id }] : []
  })
}
