import { ApiError } from './errors.ts'

/** Longer than any id of the service, short enough for every server's limit on a request line. */
const MAX_ID_LENGTH = 500

/**
 * A request path from a template: ids are encoded as one segment each. An id that is empty, `.` or `..` would name
 * another resource once normalised, and `encodeURIComponent` lets it pass: such an id fails as 'not-found', unsent.
 */
export function path(parts: TemplateStringsArray, ...ids: readonly (string | number)[]): string {
  return String.raw({ raw: parts }, ...ids.map(segment))
}

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
