import type { FastifyInstance } from 'fastify'

/** A loopback host, with or without a port. */
export const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/

/**
 * Rejects requests that a website could send from the developer's browser: requests to another host name (DNS rebinding), and posts to
 * `/_playground/` with another origin or without the `x-playground` header, which a cross-site form can't set.
 */
export function registerGuard(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const host = request.headers.host ?? ''
    if (!LOOPBACK.test(host))
      return reply.code(403).send({
        ok: false,
        error: 'bad_host',
        message: `Open the playground as localhost, not as "${host}".`,
      })
    // Checks the matched route instead of the URL, which may contain `%5F` for the underscore.
    const path = request.routeOptions.url ?? request.url
    if (request.method === 'GET' || !path.startsWith('/_playground/')) return
    const { origin } = request.headers
    if (origin !== undefined && origin !== `http://${host}`)
      return reply
        .code(403)
        .send({ ok: false, error: 'bad_origin', message: `Posts from ${origin} aren't allowed.` })
    if (request.headers['x-playground'] !== '1')
      return reply
        .code(403)
        .send({ ok: false, error: 'header_missing', message: 'Send the header `x-playground: 1`.' })
  })
}
