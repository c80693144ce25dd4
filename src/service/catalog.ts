import type { Http } from './http.ts'
import { jsonData } from './read.ts'
import { many, mapped, shape, text } from './shape.ts'

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
const readNamed = jsonData(
  many(
    mapped(shape({ id: text, attributes: shape({ name: text }) }), ({ id, attributes }): Named | undefined =>
      id ? { id, name: attributes?.name || id } : undefined,
    ),
  ),
)
