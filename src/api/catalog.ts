import type { Http } from './http.ts'
import { json } from './read.ts'

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
const readNamed = json(
  (body) =>
    body.requiredObjects('data', (item): Named | undefined => {
      const id = item.text('id')
      if (!id) return undefined
      return { id, name: item.object('attributes', (attributes) => attributes.text('name')) || id }
    })?.items,
)
