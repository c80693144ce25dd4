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
  let text = ''
  let waiting: PromiseWithResolvers<number> | undefined

  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk
    if (!isComplete(text)) return
    const status = Number(text.slice(9, 12))
    text = ''
    waiting?.resolve(status)
    waiting = undefined
  })
  const fail = (error?: Error): void =>
    waiting?.reject(error ?? new Error('the server closed the connection'))
  socket.on('error', fail).on('close', () => fail())

  return {
    send(request) {
      waiting = Promise.withResolvers()
      socket.write(request)
      return waiting.promise
    },
    [Symbol.dispose]: () => void socket.destroy(),
  }
}

/** Whether `text` is a complete response, with Content-Length or chunked. */
export function isComplete(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return false
  const size = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1]
  const body = text.slice(end + 4)
  if (size !== undefined) return body.length >= Number(size)
  return !/\r\ntransfer-encoding: *chunked/i.test(text.slice(0, end)) || /(^|\r\n)0\r\n\r\n$/.test(body)
}
