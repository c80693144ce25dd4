import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { parse } from 'node:querystring'
import { Agent, Pool, request as send } from 'undici'
import type { CheckRow } from '../parts/checks.ts'
import { listen } from '../parts/listen.ts'
import { createMessageBuilder } from '../parts/message-builder.ts'
import { serveMeasured } from '../parts/server.ts'
import { listWorkspaces, SIGNING_SECRET, serviceTokenFor } from '../parts/slack.ts'
import { fetchFirstPage, LIST_PATH } from '../parts/two-pages.ts'

interface Settings {
  serviceUrl: string
  pageSize: number
  /** The app's own answer. */
  answer: object
}

const key = createSecretKey(Buffer.from(SIGNING_SECRET))

/**
 * The least work for a complete `/hc list`: verifies the signature, fetches the checks, and posts the answer. Stores and logs
 * nothing.
 */
serveMeasured(async ({ serviceUrl, pageSize, answer }: Settings) => {
  const service = new Pool(serviceUrl, { connections: 32 })
  const slack = new Agent({ connections: 32 })

  const fetchPage = (workspace: string): Promise<CheckRow[]> =>
    fetchFirstPage(async (query) => {
      const headers = { authorization: `Bearer ${serviceTokenFor(workspace)}` }
      const answer = await service.request({ method: 'GET', path: `${LIST_PATH}${query}`, headers })
      // The benchmark's service returns nothing else, so nothing is validated here.
      const { data } = JSON.parse(await answer.body.text()) as { data: { results: CheckRow[] } }
      return data.results
    }, pageSize)

  const buildMessage = createMessageBuilder(answer, await fetchPage(listWorkspaces(1)[0] ?? ''))

  async function list(workspace: string, responseUrl: string): Promise<void> {
    const message = buildMessage(await fetchPage(workspace))
    const posted = await send(responseUrl, {
      method: 'POST',
      dispatcher: slack,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
    })
    await posted.body.dump()
  }

  return listen(
    createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const body = Buffer.concat(chunks)
        const hmac = createHmac('sha256', key).update(`v0:${request.headers['x-slack-request-timestamp']}:`)
        const signature = Buffer.from(String(request.headers['x-slack-signature']).slice(3), 'hex')
        const isSignatureValid = timingSafeEqual(hmac.update(body).digest(), signature)
        response.writeHead(isSignatureValid ? 200 : 401, { 'content-length': 0 }).end()
        const { team_id, response_url } = parse(body.toString())
        if (isSignatureValid) void list(String(team_id), String(response_url))
      })
    }),
  )
})
