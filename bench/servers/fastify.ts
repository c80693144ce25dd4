import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { parse } from 'node:querystring'
import fastify from 'fastify'
import { serveMeasured } from '../parts/server.ts'
import { SIGNING_SECRET } from '../parts/slack.ts'

const key = createSecretKey(Buffer.from(SIGNING_SECRET))

/** A web framework with a check of one's own: signature, form, the command by its name. */
serveMeasured(async () => {
  const app = fastify()
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, (_, body, done) =>
    done(null, body),
  )
  app.post('/slack/events', (request, reply) => {
    // The parser above hands over every body as the buffer it came in.
    const body = request.body as Buffer
    const { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature } = request.headers
    const expected = createHmac('sha256', key).update(`v0:${timestamp}:`).update(body).digest()
    const isGenuine = timingSafeEqual(expected, Buffer.from(String(signature).slice(3), 'hex'))
    const isKnown = isGenuine && parse(body.toString()).command === '/hc'
    reply.code(isKnown ? 200 : 401).send('')
  })
  return app.listen({ port: 0, host: '127.0.0.1' })
})
