import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'

export interface ReportedPage {
  readonly port: number
  readonly url: string
  /** What was requested from the page, in order: a path, or `connected` for a connection without a request. */
  readonly visits: readonly string[]
}

/** Starts a web server on this machine that stands for a reported page. It records every connection, even one without a request. */
export async function startReportedPage(): Promise<ReportedPage & AsyncDisposable> {
  const visits: string[] = []
  const server = createServer(({ url }, response) => {
    visits[visits.length - 1] = url ?? ''
    response.setHeader('connection', 'close').end()
  })
  server.on('connection', () => visits.push('connected'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    visits,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

export const expectNoVisits = ({ visits }: ReportedPage): void =>
  expect(visits, 'Signalman never connects to a reported page.').toEqual([])
