/** The error codes that the API documents, and three of the sandbox's own for undocumented cases. */
export type ErrorCode =
  | 'BAD_REQUEST'
  | 'UNAUTHORIZED'
  | 'NOT_FOUND'
  | 'BAD_CONTEXT'
  | 'INTERNAL_SERVER_ERROR'
  | 'FORBIDDEN'
  | 'TOO_MANY_REQUESTS'

/** One fault of a request. `field` is the path of the body's field or the name of the parameter, if there is one. */
export interface Fault {
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

export function errorCode(status: number): ErrorCode {
  return CODES[status] ?? (status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_REQUEST')
}

/** An error response: its status, and one sentence for each thing that is wrong. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly faults: readonly Fault[]

  constructor(status: number, faults: readonly Fault[] | string) {
    const list = typeof faults === 'string' ? [{ message: faults }] : faults
    super(list.map((fault) => fault.message).join(' '))
    this.status = status
    this.faults = list
  }
}

/** The API's error object: `{ errors: [ { code, message } ] }`. */
export function errorObject(status: number, faults: readonly Fault[]): object {
  return { errors: faults.map(({ message }) => ({ code: errorCode(status), message })) }
}

/** The order endpoint's error object: the API's code and message, plus JSON:API's fields. */
export function jsonApiErrors(status: number, faults: readonly Fault[]): object {
  return {
    errors: faults.map(({ field, message }) => ({
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
