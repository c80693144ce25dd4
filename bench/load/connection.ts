import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A keep-alive connection that sends one request at a time. */
export interface Connection extends Disposable {
  /** Sends the request, and resolves with the status once the complete response has arrived. Throws if the connection closes. */
  send(request: Buffer): Promise<number>
}

/** A minimal HTTP client, so that the load generator itself takes little time. */
export async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  let received = ''
  let pendingStatus: PromiseWithResolvers<number> | undefined

  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk
    if (!isComplete(received)) return
    // The status follows `HTTP/1.1 `.
    const status = Number(received.slice(9, 12))
    received = ''
    pendingStatus?.resolve(status)
    pendingStatus = undefined
  })
  const fail = (error?: Error): void =>
    pendingStatus?.reject(error ?? new Error('the server closed the connection'))
  socket.on('error', fail).on('close', () => fail())

  return {
    send(request) {
      pendingStatus = Promise.withResolvers()
      socket.write(request)
      return pendingStatus.promise
    },
    [Symbol.dispose]: () => void socket.destroy(),
  }
}

/** Whether `text` is a complete HTTP response. The body may have a Content-Length or be chunked. */
export function isComplete(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return false
  const size = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1]
  const body = text.slice(end + 4)
  if (size !== undefined) return body.length >= Number(size)
  return !/\r\ntransfer-encoding: *chunked/i.test(text.slice(0, end)) || /(^|\r\n)0\r\n\r\n$/.test(body)
}
