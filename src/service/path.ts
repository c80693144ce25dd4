import { ApiError } from './errors.ts'

/** Longer than any id of the service, short enough for every server's limit on a request line. */
const MAX_ID_LENGTH = 500

/** Where a request goes. */
export interface ServicePath {
  /** The path with its ids, as it is sent. */
  path: string
  /** With the names of its ids in their places: the same for all of a kind, so that it may be counted and shown. */
  route: string
}

/**
 * A request path from a template, whose ids are given by name: path`/checks/${{ uuid }}`. They are encoded as one segment each.
 * An id that is empty, `.` or `..` would name another resource once normalised, and `encodeURIComponent` lets it pass: such
 * an id fails as 'not-found', unsent.
 */
export function path(
  parts: TemplateStringsArray,
  ...ids: readonly Readonly<Record<string, string | number>>[]
): ServicePath {
  const named = ids.flatMap((id) => Object.entries(id))
  return {
    path: String.raw({ raw: parts }, ...named.map(([, id]) => segment(id))),
    route: String.raw({ raw: parts }, ...named.map(([name]) => `{${name}}`)),
  }
}

/** A path without ids is its own route. */
export const pathOf = (path: string | ServicePath): ServicePath =>
  typeof path === 'string' ? { path, route: path } : path

function segment(id: string | number): string {
  const text = String(id)
  if (text === '' || text === '.' || text === '..' || text.length > MAX_ID_LENGTH || !text.isWellFormed()) {
    throw new ApiError(
      'not-found',
      'No resource can have this id, so nothing was sent: use the id as the service shows it.',
    )
  }
  return encodeURIComponent(text)
}
