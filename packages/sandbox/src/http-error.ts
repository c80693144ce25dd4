/** The error codes that the API documents, and three that the sandbox adds for undocumented cases. */
export type ErrorCode =
  | 'BAD_REQUEST'
  | 'UNAUTHORIZED'
  | 'NOT_FOUND'
  | 'BAD_CONTEXT'
  | 'INTERNAL_SERVER_ERROR'
  | 'FORBIDDEN'
  | 'TOO_MANY_REQUESTS'

/** One mistake in a request. `field` is the path of a body field, such as `data.type`, or the name of a query parameter. */
export interface Problem {
  field?: string
  message: string
}

const CODES: Record<number, ErrorCode> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'BAD_CONTEXT',
  429: 'TOO_MANY_REQUESTS',
}

function errorCode(status: number): ErrorCode {
  return CODES[status] ?? (status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_REQUEST')
}

/** Thrown to respond with this status and one error message per problem. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly problems: readonly Problem[]

  constructor(status: number, problems: readonly Problem[] | string) {
    const problemList = typeof problems === 'string' ? [{ message: problems }] : problems
    super(problemList.map(({ message }) => message).join(' '))
    this.status = status
    this.problems = problemList
  }
}

/** The API's error object: `{ errors: [ { code, message } ] }`. */
export function errorObject(status: number, problems: readonly Problem[]): object {
  return { errors: problems.map(({ message }) => ({ code: errorCode(status), message })) }
}

/** The order endpoint's error object: the API's code and message, plus JSON:API's fields. */
export function jsonApiErrors(status: number, problems: readonly Problem[]): object {
  return {
    errors: problems.map(({ field, message }) => ({
      code: errorCode(status),
      message,
      status: String(status),
      title: field === undefined ? 'Unreadable order' : 'Invalid order',
      detail: message,
      ...(field === undefined
        ? {}
        : { source: { pointer: `/${field.replaceAll(/[.[]/g, '/').replaceAll(']', '')}` } }),
    })),
  }
}
