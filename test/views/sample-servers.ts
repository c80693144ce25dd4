import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSampleService } from './sample-service.ts'
import { ALL_SCOPES, asFields, createSampleSlack } from './sample-slack.ts'

export type SampleServers = Awaited<ReturnType<typeof startSampleServers>>

/** Starts a loopback server that is both a sample Slack and a sample service. */
export async function startSampleServers() {
  let url = ''
  const slack = createSampleSlack(() => url)
  const service = createSampleService(() => Number(new URL(url).port))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = new URL(request.url ?? '/', url)
    const body = await requestText(request)
    const method = /^\/api\/(.+)$/.exec(address.pathname)?.[1]
    if (method !== undefined) {
      response.setHeader('x-oauth-scopes', ALL_SCOPES)
      return send(response, { status: 200, body: slack.call(method, readArguments(request, body)) })
    }
    if (address.pathname === '/response') slack.respond(asFields(body))
    if (address.pathname === '/response' || address.pathname === '/upload')
      return send(response, { status: 200, body: {} })
    send(response, service.answer(request.method ?? 'GET', address, body))
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The address of a server that listens on a TCP port is an AddressInfo.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    slack,
    service,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function send(
  response: ServerResponse,
  { status, type = 'application/json', body }: { status: number; type?: string; body: unknown },
): void {
  response
    .writeHead(status, { 'content-type': type })
    .end(Buffer.isBuffer(body) ? body : JSON.stringify(body))
}

async function requestText(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

/** Bolt's client sends a JSON body, or a form in which `blocks` is JSON. */
function readArguments(request: IncomingMessage, body: string): Readonly<Record<string, unknown>> {
  if (request.headers['content-type']?.includes('json')) return asFields(body)
  const args = Object.fromEntries(new URLSearchParams(body))
  return { ...args, ...(args.blocks !== undefined && { blocks: JSON.parse(args.blocks) }) }
}
