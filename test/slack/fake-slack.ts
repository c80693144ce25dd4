import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Answers a call of a Web API method. Undefined if it has ended the response itself. */
type AnswerCall = (method: string, args: URLSearchParams, response: ServerResponse) => object | undefined

/** Starts a Slack for what the playground never answers. `url` is the address of its Web API. */
export async function startFakeSlack(answer: AnswerCall): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer(async (request, response) => {
    const args = new URLSearchParams(await new Response(request as never).text())
    const content = answer((request.url ?? '').replace('/api/', ''), args, response)
    if (content) response.setHeader('content-type', 'application/json').end(JSON.stringify(content))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/api/`, [Symbol.asyncDispose]: async () => void server.close() }
}
