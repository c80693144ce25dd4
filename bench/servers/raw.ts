import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { listening } from '../parts/listening.ts'
import { serveMeasured } from '../parts/server.ts'
import { SIGNING_SECRET } from '../parts/slack.ts'

const key = createSecretKey(Buffer.from(SIGNING_SECRET))

/** The limit: the body is read and its signature checked, and nothing else is done. */
serveMeasured(() =>
  listening(
    createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const signed = createHmac('sha256', key).update(`v0:${request.headers['x-slack-request-timestamp']}:`)
        for (const chunk of chunks) signed.update(chunk)
        const given = Buffer.from(String(request.headers['x-slack-signature']).slice(3), 'hex')
        const isGenuine = timingSafeEqual(signed.digest(), given)
        response.writeHead(isGenuine ? 200 : 401, { 'content-length': 0 }).end()
      })
    }),
  ),
)
