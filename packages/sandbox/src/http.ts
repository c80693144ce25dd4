import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { errorObject, HttpError } from './http-error.ts'
import { MAX_BYTES } from './read-body.ts'

export type Server = FastifyInstance

export type { FastifyReply as Reply, FastifyRequest as Request }

/** Replaces Fastify's compilers of schemas, which it would otherwise load at the start. The packed sandbox doesn't contain them. */
function rejectSchemas(): never {
  throw new Error('Routes of the sandbox have no schemas.')
}

/** Creates a server that keeps request bodies as raw bytes and responds to every error with the API's error object. */
export function createServer(): Server {
  const server = fastify({
    bodyLimit: MAX_BYTES,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    schemaController: { compilersFactory: { buildValidator: rejectSchemas, buildSerializer: rejectSchemas } },
    frameworkErrors: (error, _request, reply) => answerError(error, reply),
    clientErrorHandler: (_error, socket) => {
      if (!socket.writable) return void socket.destroy()
      const body = JSON.stringify(errorObject(400, [{ message: 'The request is not valid HTTP.' }]))
      socket.end(
        `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      )
    },
  })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  server.setErrorHandler((error: FastifyError, _request, reply) => answerError(error, reply))
  server.setNotFoundHandler((request) => {
    throw new HttpError(
      404,
      `There is no operation ${request.method} ${request.url.split('?')[0]?.slice(0, 200)}.`,
    )
  })
  return server
}

type FormatError = (status: number, problems: HttpError['problems']) => object

/** Sends an error response, whose body `format` creates. Logs internal errors to stderr. */
export function answerError(error: Error, reply: FastifyReply, format: FormatError = errorObject): void {
  const { status, problems } = toHttpError(error)
  void reply.code(status).send(format(status, problems))
}

function toHttpError(error: Error): HttpError {
  if (error instanceof HttpError) return error
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500
  if (status === 413) return new HttpError(400, 'The body is too large.')
  if (status < 500) return new HttpError(400, `The request could not be parsed: ${error.message}.`)
  process.stderr.write(`sandbox: ${error.stack}\n`)
  return new HttpError(500, 'The sandbox failed while handling the request.')
}
