import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { MAX_BYTES } from './read-body.ts'
import { errorObject, Refusal } from './refusal.ts'

export type Server = FastifyInstance

export type { FastifyReply as Reply, FastifyRequest as Request }

/** A server that keeps every body as raw bytes and responds to every error with the error object. */
export function createServer(): Server {
  const server = fastify({
    bodyLimit: MAX_BYTES,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
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
    throw new Refusal(
      404,
      `There is no operation ${request.method} ${request.url.split('?')[0]?.slice(0, 200)}.`,
    )
  })
  return server
}

type FormatError = (status: number, problems: Refusal['problems']) => object

/** Responds to an error with the body that `format` creates. Internal errors go to stderr. */
export function answerError(error: Error, reply: FastifyReply, format: FormatError = errorObject): void {
  const refusal = toRefusal(error)
  void reply.code(refusal.status).send(format(refusal.status, refusal.problems))
}

function toRefusal(error: Error): Refusal {
  if (error instanceof Refusal) return error
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500
  if (status === 413) return new Refusal(400, 'The body is too large.')
  if (status < 500) return new Refusal(400, `The request could not be parsed: ${error.message}.`)
  process.stderr.write(`sandbox: ${error.stack}\n`)
  return new Refusal(500, 'The sandbox failed while handling the request.')
}
