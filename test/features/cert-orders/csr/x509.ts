import { createRequire } from 'node:module'
import type * as X509 from '@peculiar/x509'

/** Metadata of classes, which the library's dependency injection reads and writes with the Reflect metadata API. */
const metadataByTarget = new WeakMap<object, Map<unknown, unknown>>()

const ownMetadata = (key: unknown, target: object): unknown => metadataByTarget.get(target)?.get(key)

function metadata(key: unknown, target: object): unknown {
  const found = ownMetadata(key, target)
  const parent: unknown = Object.getPrototypeOf(target)
  return found ?? (typeof parent === 'function' ? metadata(key, parent) : undefined)
}

function defineMetadata(key: unknown, value: unknown, target: object): void {
  const existing = metadataByTarget.get(target) ?? new Map<unknown, unknown>()
  metadataByTarget.set(target, existing.set(key, value))
}

let loaded: typeof X509 | undefined

/**
 * Loads the X.509 library when it's first needed, because that takes longer than starting the rest of the app. The library requires the
 * Reflect metadata API, so this adds the three functions that it uses if they're missing.
 */
export function x509(): typeof X509 {
  if (loaded) return loaded
  if (!('getMetadata' in Reflect))
    Object.assign(Reflect, { getOwnMetadata: ownMetadata, getMetadata: metadata, defineMetadata })
  // `require` doesn't know the module's types.
  loaded = createRequire(import.meta.url)('@peculiar/x509') as typeof X509
  return loaded
}
